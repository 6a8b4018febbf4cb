export { cutEscaped } from './cut-escaped.ts'
export { utf8Length } from './utf8-length.ts'
