import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type SchemaResult,
  type StandardSchema,
} from '../json/index.ts'

/** One argument of a tool: its schema for the model and its parser. */
interface Parameter<Value> {
  readonly schema: JsonObject
  readonly isRequired: boolean
  /** Parses a value. Returns undefined if it is invalid. */
  readonly read: (value: JsonValue) => Value | undefined
  readonly absent: Value
  readonly expected: string
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** The parsed arguments of a tool. */
type ValuesOf<Table extends Parameters> = {
  readonly [Name in keyof Table]: Table[Name] extends Parameter<infer Value> ? Value : never
}

/** Creates a required text parameter; `allowsEmpty` permits an empty text. */
export function text(description: string, { allowsEmpty = false } = {}): Parameter<string> {
  return {
    schema: { type: 'string', description },
    isRequired: true,
    read: (value) => {
      return typeof value === 'string' && (allowsEmpty || value !== '') ? value : undefined
    },
    absent: '',
    expected: allowsEmpty ? 'a text' : 'a text that is not empty',
  }
}

/** Creates a text parameter that may be absent. */
export function optionalText(description: string, absent = ''): Parameter<string> {
  return { ...text(description, { allowsEmpty: true }), isRequired: false, absent }
}

/** Creates an optional integer parameter. A value out of range is clamped. */
export function whole(
  description: string,
  { absent, minimum, maximum }: { absent: number; minimum: number; maximum: number },
): Parameter<number> {
  const isBounded = maximum < Number.MAX_SAFE_INTEGER
  return {
    schema: { type: 'integer', description, minimum, ...(isBounded && { maximum }) },
    isRequired: false,
    read: (value) => {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
      if (typeof number !== 'number' || !Number.isInteger(number)) return undefined
      return Math.min(Math.max(number, minimum), maximum)
    },
    absent: Math.min(absent, maximum),
    expected: 'a whole number',
  }
}

/** Creates an optional boolean parameter; default: false. */
export function flag(description: string): Parameter<boolean> {
  return {
    schema: { type: 'boolean', description },
    isRequired: false,
    read: (value) => (typeof value === 'boolean' ? value : undefined),
    absent: false,
    expected: 'true or false',
  }
}

/** Creates the input schema of a tool from its parameters. */
export function toInputSchema<Table extends Parameters>(
  parameters: Table,
): StandardSchema<ValuesOf<Table>> {
  const entries = Object.entries(parameters)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, parameter.schema])),
    required: entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'millrace',
      validate: (value) => readValues(parameters, value),
      jsonSchema: { input: () => schema },
    },
  }
}

function readValues<Table extends Parameters>(
  parameters: Table,
  value: unknown,
): SchemaResult<ValuesOf<Table>> {
  if (!isJsonObject(value)) return { issues: [{ message: 'expected an object with arguments' }] }
  const read = Object.entries(parameters).map(([name, parameter]) => {
    // Models write null for omitted arguments.
    const given = Object.hasOwn(value, name) ? (value[name] ?? null) : null
    if (given === null) return { name, value: parameter.isRequired ? undefined : parameter.absent }
    return { name, value: parameter.read(given) }
  })
  const issues = read
    .filter((argument) => argument.value === undefined)
    .map(({ name }) => ({ message: `expected ${parameters[name]?.expected}`, path: [name] }))
  if (issues.length > 0) return { issues }
  const values = Object.fromEntries(read.map((argument) => [argument.name, argument.value]))
  return { value: values as ValuesOf<Table> }
}
