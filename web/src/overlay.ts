// What views draw with above the picture.

export { drawTag } from "./stage";
export { drawMessage, drawPath, mark } from "./trip";
