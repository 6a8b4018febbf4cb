/** Reads a string field of an unknown value. */
export function readString(value: unknown, field: string): string | undefined {
  const found = readField(value, field)
  return typeof found === 'string' ? found : undefined
}

/** Reads a number field of an unknown value. */
export function readNumber(value: unknown, field: string): number | undefined {
  const found = readField(value, field)
  return typeof found === 'number' ? found : undefined
}

/** Reads a field of an unknown value. */
export function readField(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined
  return (value as Readonly<Record<string, unknown>>)[field]
}
