// What views draw with above the picture.

export { drawTag, tagWidth } from "./stage";
export { drawMessage, drawPath, mark } from "./trip";
