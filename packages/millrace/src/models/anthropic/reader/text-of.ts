import type { JsonValue } from '../../../json/index.ts'

/** Returns a string value, else an empty string. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
