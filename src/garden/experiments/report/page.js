// A click on a column's head sorts its table: numbers by their first number, else by letters.
"use strict";
(() => {
  const numberIn = (text) => {
    const plain = text.replace("−", "-").replace(/(\d),(?=\d{3})/g, "$1");
    const found = /^[^\dA-Za-z]*?(-?\d+(\.\d+)?)/.exec(plain);
    return found ? Number(found[1]) : null;
  };
  const compare = (one, other) => {
    const [a, b] = [numberIn(one), numberIn(other)];
    if (a !== null && b !== null) return a - b;
    if (a !== null || b !== null) return a !== null ? -1 : 1;
    return one.localeCompare(other);
  };
  const sort = (head) => {
    const column = head.cellIndex;
    const ascending = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const body = head.closest("table").tBodies[0];
    const text = (row) => row.cells[column].textContent.trim();
    const rows = [...body.rows].sort((a, b) => compare(text(a), text(b)) * (ascending ? 1 : -1));
    body.append(...rows);
  };
  for (const head of document.querySelectorAll("table.sortable th")) {
    head.querySelector("button").addEventListener("click", () => sort(head));
  }
})();
