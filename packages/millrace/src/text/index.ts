export { cutEscaped, utf8Length } from './utf8.ts'
export { findHiddenCharacters, toPlainLine } from './hidden-characters.ts'
