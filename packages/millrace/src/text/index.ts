export { cutEscaped } from './cut-escaped.ts'
export { findHiddenCharacters } from './hidden-characters.ts'
export { toPlainLine } from './plain-line.ts'
export { utf8Length } from './utf8-length.ts'
