/** A string field of a value from the wire, if the value is an object and has it. */
export function readString(value: unknown, field: string): string | undefined {
  const found = readField(value, field)
  return typeof found === 'string' ? found : undefined
}

/** A number field of a value from the wire, if the value is an object and has it. */
export function readNumber(value: unknown, field: string): number | undefined {
  const found = readField(value, field)
  return typeof found === 'number' ? found : undefined
}

/** A field of a value from the wire, if the value is an object and has it. */
export function readField(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined
  return (value as Readonly<Record<string, unknown>>)[field]
}
