import type { JsonValue } from '../json/index.ts'

/** The value if it is text, else nothing. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
