import { z } from 'zod'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../json/index.ts'
import type { MessagePart } from '../../port/index.ts'

const name = z.string().min(1).max(256)

const message = z
  .custom<JsonObject>(
    (value) =>
      isJsonObject(value) && typeof value['id'] === 'string' && typeof value['role'] === 'string',
    'must be a message of AG-UI, with `id` and `role`',
  )
  .meta({
    type: 'object',
    properties: { id: { type: 'string' }, role: { type: 'string' } },
    required: ['id', 'role'],
  })

const resumeEntry = z.object({
  interruptId: name,
  status: z.enum(['resolved', 'cancelled']),
  payload: z.json().optional(),
})

/** The body of `POST /ag-ui`. Other fields are not read: a client's tools, context and properties do not change the server's tools. */
export const runInput = z.object({
  threadId: name,
  runId: name,
  parentRunId: name.nullish(),
  state: z.json().optional(),
  messages: z.array(message, 'must be the messages of the thread; an empty list connects to it'),
  resume: z.array(resumeEntry).nullish(),
})

/** A validated body of `POST /ag-ui`. */
export type RunInput = z.infer<typeof runInput>

/** An answer to an interrupt. */
export type ResumeEntry = z.infer<typeof resumeEntry>

/** The query of `POST /ag-ui`. */
export const runQuery = z.object({
  agent_type: z.string().max(256).optional(),
  tool_input: z.enum(['buffered', 'live']).default('live'),
  subagents: z.enum(['native', 'drop']).optional(),
  cuts: z.enum(['error', 'silent']).optional(),
  client: z.enum(['any', 'tanstack']).optional(),
})

/** Finds the newest message, if the user wrote it. */
export function newestQuestion({ messages }: RunInput): JsonObject | undefined {
  const newest = messages.at(-1)
  return newest?.['role'] === 'user' ? newest : undefined
}

/** Lists the content of a message as JSON objects. */
export function contentOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return isJsonArray(content) ? content.filter(isJsonObject) : []
}

/** Reads the parts of a message; older clients have one kind of part for all files. */
export function toMessageParts(content: JsonValue | undefined): readonly MessagePart[] {
  return contentOf(content).flatMap(toMessagePart)
}

function toMessagePart(part: JsonObject): MessagePart[] {
  const { type, text, source, filename } = part
  if (type === 'text') return typeof text === 'string' && text !== '' ? [{ type, text }] : []
  const file = isJsonObject(source) ? fromSource(source) : fromBinary(part)
  return [{ type: 'file', ...file, ...(typeof filename === 'string' && { filename }) }]
}

interface FileAddress {
  readonly url: string
  readonly mediaType: string
}

function fromSource({ type, value, mimeType }: JsonObject): FileAddress {
  const mediaType = typeof mimeType === 'string' ? mimeType : ''
  const text = typeof value === 'string' ? value : ''
  return { url: type === 'data' ? `data:${mediaType};base64,${text}` : text, mediaType }
}

/** Reads a file as clients before 1.0 send it. */
function fromBinary({ mimeType, data, url, id }: JsonObject): FileAddress {
  if (typeof data === 'string')
    return fromSource({ type: 'data', value: data, mimeType: mimeType ?? '' })
  return fromSource({ type: 'url', value: url ?? id ?? '', mimeType: mimeType ?? '' })
}
