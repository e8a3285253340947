// Builds the page and the single-file walk into OUT (by default the package), with the licences of
// what they contain and the hash of the sources. The same sources give the same bytes.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = resolve(process.argv[2] ?? join(HERE, "../src/garden/web/static"));
const SOURCES = [".npmrc", "build.mjs", "index.html", "package-lock.json", "package.json", "tsconfig.json"];
const SHIPPED = ["sigma", "graphology", "graphology-utils", "events"];

/** Every file that decides what the build holds, sorted. `web/check.py` reads the same ones. */
function sourceFiles() {
  const inside = (folder) =>
    readdirSync(join(HERE, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? inside(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
    );
  return [...SOURCES, ...inside("src")].sort();
}

function sourcesHash() {
  const hash = createHash("sha256");
  for (const name of sourceFiles()) {
    hash.update(`${name}\0`).update(readFileSync(join(HERE, name))).update("\0");
  }
  return hash.digest("hex");
}

function licences() {
  const parts = SHIPPED.map((name) => {
    const folder = join(HERE, "node_modules", name);
    const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${about.license}`;
    return `${about.name} ${about.version} (${about.license})\n\n${text}\n`;
  });
  return `The scripts of this page contain the following packages.\n\n${parts.join("\n---\n\n")}`;
}

const shared = {
  root: HERE,
  base: "./",
  configFile: false,
  logLevel: "warn",
  publicDir: false,
};

function bundle(input, name, format) {
  return build({
    ...shared,
    build: {
      outDir: OUT,
      emptyOutDir: false,
      copyPublicDir: false,
      modulePreload: false,
      cssCodeSplit: false,
      reportCompressedSize: false,
      target: "es2022",
      rollupOptions: {
        input: join(HERE, input),
        output: {
          format,
          entryFileNames: `${name}.js`,
          assetFileNames: `${name}[extname]`,
          codeSplitting: false,
        },
      },
    },
  });
}

if (existsSync(OUT)) rmSync(OUT, { recursive: true });
mkdirSync(OUT, { recursive: true });
await bundle("index.html", "page", "es");
await bundle("src/walk.ts", "walk", "iife");
cpSync(join(HERE, "src/favicon.svg"), join(OUT, "favicon.svg"));
writeFileSync(join(OUT, "LICENCES.txt"), licences());
writeFileSync(join(OUT, "sources.sha256"), `${sourcesHash()}\n`);
