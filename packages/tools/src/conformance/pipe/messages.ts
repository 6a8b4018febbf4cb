import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import type { Answer, Fed, Task } from '../implementation.ts'

/** The supported version of the adapter protocol. [ADAPT-2] */
export const ADAPTER_PROTOCOL = 1

const hello = z.object({
  protocol: z.number(),
  name: z.string(),
  version: z.string(),
  kinds: z.array(z.string()),
  units: z.enum(['utf-16', 'code_points']).default('code_points'),
})

const object = z.custom<JsonObject>(isJsonObject, 'must be an object')
const json = z.custom<JsonValue>((value) => value !== undefined, 'must be JSON')
const id = z.int()

const answer = z.union(
  [
    z.strictObject({ id, output: object }),
    z.strictObject({ id, error: z.string() }),
    z.strictObject({ id, unsupported: z.string() }),
  ],
  'must have an id and one of output, error and unsupported',
)

const task = z.object({
  id,
  kind: z.string(),
  case: z.string(),
  input: object,
  feeding: z.string().optional(),
  bytes_b64: z.array(z.string()).optional(),
  text: z.array(z.string()).optional(),
  values: z.array(json).optional(),
})

/** The self-description of an adapter. */
export type Hello = z.infer<typeof hello>

interface NumberedAnswer {
  readonly id: number
  readonly answer: Answer
}

interface NumberedTask {
  readonly id: number
  readonly task: Task
}

/** Encodes the first line of an adapter. [ADAPT-2] */
export function encodeHello(said: Hello): string {
  return JSON.stringify({ hello: said })
}

/** Decodes the first line of an adapter; throws if it is invalid. */
export function decodeHello(line: string): Hello {
  const { hello: said } = decode(z.object({ hello }), line)
  if (said.protocol === ADAPTER_PROTOCOL) return said
  throw new Error(
    `it uses version ${said.protocol} of the adapter protocol, and this runner uses version ${ADAPTER_PROTOCOL}`,
  )
}

/** Encodes a task. [ADAPT-3] */
export function encodeTask({
  id: number,
  task: { name, kind, input, feeding, fed },
}: NumberedTask) {
  return JSON.stringify({ id: number, kind, case: name, input, feeding, ...toPieces(fed) })
}

/** Decodes a task; throws if it is invalid. */
export function decodeTask(line: string): NumberedTask {
  const { id: number, case: name, kind, input, feeding, ...pieces } = decode(task, line)
  const fed = toFed(pieces)
  return {
    id: number,
    task: { name, kind, input, ...(feeding !== undefined && { feeding }), ...(fed && { fed }) },
  }
}

/** Encodes an answer. [ADAPT-5] */
export function encodeAnswer({ id: number, answer: given }: NumberedAnswer): string {
  return JSON.stringify({ id: number, ...given })
}

/** Decodes an answer; throws if it is invalid. */
export function decodeAnswer(line: string): NumberedAnswer {
  const { id: number, ...given } = decode(answer, line)
  return { id: number, answer: given }
}

function toPieces(fed: Fed | undefined): object {
  if (fed?.form === 'bytes')
    return { bytes_b64: Array.from(fed.pieces, (piece) => Buffer.from(piece).toString('base64')) }
  return fed === undefined ? {} : { [fed.form]: [...fed.pieces] }
}

function toFed(pieces: Pick<z.infer<typeof task>, 'bytes_b64' | 'text' | 'values'>) {
  const { bytes_b64: bytes, text, values } = pieces
  if (bytes !== undefined) {
    const decoded = bytes.map((piece) => new Uint8Array(Buffer.from(piece, 'base64')))
    return { form: 'bytes', pieces: decoded } as const
  }
  if (text !== undefined) return { form: 'text', pieces: text } as const
  return values === undefined ? undefined : ({ form: 'values', pieces: values } as const)
}

function decode<Schema extends z.ZodType>(schema: Schema, line: string): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(parse(line))
  if (success) return data
  const faults = error.issues.map(({ path, message }) => [...path, message].join(' '))
  throw new Error(faults.join('; '))
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error('it is not JSON')
  }
}
