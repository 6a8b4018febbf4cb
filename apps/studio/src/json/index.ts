export { createJsonPrinter, toCompact, toPrettyText } from './pretty-json.ts'
export { readField, readNumber, readString } from './read-field.ts'
