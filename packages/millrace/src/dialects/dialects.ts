import type { Dialect } from './dialect.ts'
import { jsonDialect } from './json-dialect.ts'
import { xmlDialect } from './xml-dialect.ts'

/** Every format in which a run can be read, by the name that `?format=` and `millrace convert` take. */
export const dialects: Readonly<Record<string, Dialect>> = {
  json: jsonDialect(),
  xml: xmlDialect(),
}
