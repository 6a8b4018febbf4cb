import { type Envelope, type FieldKind, isProse, traitsOf } from '../events/index.ts'
import type { JsonValue } from '../json/index.ts'
import type { RawAttributes } from './decode/open-tag.ts'

/** Extra fields of a frame under construction. */
export type Fields = Record<string, JsonValue>

/** Fields with a meaning on every message, which no attribute may set. */
const RESERVED: ReadonlySet<string> = new Set(['type', 'agent', 'final', 'delta', 'more', 'span'])

/** The attribute that names the agent of a message if it is not the agent of the stream. [XML-20] */
export const AGENT_ATTRIBUTE = 'agent'

/** The field that the attribute `type` stands for. */
const CITATION_TYPE = 'citation_type'
const INTEGER = /^-?\d{1,15}$/
const INTEGER_NAME = /_(?:index|number)$/

const parsers: Readonly<Record<FieldKind, (text: string) => JsonValue>> = {
  string: (text) => text,
  integer: (text) => (INTEGER.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
}

/** Returns the JSON type of a field: from the catalogue, or from the name of an unknown field. */
function kindOf(type: string, name: string): FieldKind {
  const traits = traitsOf(type)
  for (const fields of [traits?.required ?? {}, traits?.optional ?? {}]) {
    if (Object.hasOwn(fields, name)) return fields[name] ?? 'string'
  }
  return INTEGER_NAME.test(name) ? 'integer' : 'string'
}

/**
 * Converts attributes to the extra fields of a frame: required fields are always present, other empty fields are
 * omitted, numbers become numbers. [XML-6] [XML-12]
 */
export function toFields(
  type: string,
  attributes: RawAttributes,
  decode: (raw: string) => string,
  payload?: string,
): Fields {
  const { required = {}, unpackedWith } = traitsOf(type) ?? {}
  const entries = Object.keys(required).map((name): [string, JsonValue] => [name, ''])
  if (unpackedWith === CITATION_TYPE)
    entries.push([CITATION_TYPE, decode(attributes.get('type') || 'unknown')])
  for (const [name, raw] of attributes) {
    if (RESERVED.has(name) || name === payload || name === CITATION_TYPE || raw === '') continue
    entries.push([name, parsers[kindOf(type, name)](decode(raw))])
  }
  return Object.fromEntries(entries)
}

/** An attribute name that every reader of the format accepts. */
const ATTRIBUTE_NAME = /^[A-Za-z_][\w:.-]*$/

/** Checks for a type whose `id` only joins frames, and whose opening tag is written before the block can be interrupted. */
function isStreamed(type: string): boolean {
  return isProse(type) || isProse(traitsOf(type)?.partOf)
}

/** Writes the extra fields of a frame as attributes, each with a space before it. [XML-18] */
export function writeAttributes(
  envelope: Envelope,
  encode: (value: string) => string,
  payload?: string,
): string {
  const omitsState = isStreamed(envelope.type)
  let written = ''
  for (const [name, value] of Object.entries(envelope)) {
    if (RESERVED.has(name) || name === payload || value === undefined) continue
    if (omitsState && (name === 'id' || name === 'interrupted')) continue
    const attribute = name === CITATION_TYPE ? 'type' : name
    if (!ATTRIBUTE_NAME.test(attribute)) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    written += ` ${attribute}="${encode(text)}"`
  }
  return written
}
