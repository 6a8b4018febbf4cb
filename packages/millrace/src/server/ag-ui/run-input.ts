import { z } from 'zod'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts'

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

/**
 * The body of `POST /ag-ui`. What is not named here is not read: tools, context and forwarded properties of a client
 * change nothing that the server offers.
 */
export const runInput = z.object({
  threadId: name,
  runId: name,
  parentRunId: name.nullish(),
  state: z.json().optional(),
  messages: z.array(message, 'must be the messages of the thread; an empty list connects to it'),
  resume: z.array(resumeEntry).nullish(),
})

/** A body of `POST /ag-ui` that was read. */
export type RunInput = z.infer<typeof runInput>

/** An answer to an interrupt. */
export type ResumeEntry = z.infer<typeof resumeEntry>

/** The newest message, if it is a question. */
export function questionIn({ messages }: RunInput): JsonObject | undefined {
  const newest = messages.at(-1)
  return newest?.['role'] === 'user' ? newest : undefined
}

/** The results of tools that a client says it has; clients put them where they like. */
export function toolMessages({ messages }: Pick<RunInput, 'messages'>): readonly JsonObject[] {
  return messages.filter(
    ({ role, toolCallId }) => role === 'tool' && typeof toolCallId === 'string',
  )
}

/** Those that came after the last message of the assistant. */
export function newestResults({ messages }: Pick<RunInput, 'messages'>): readonly JsonObject[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return toolMessages({ messages: messages.slice(last + 1) })
}

/** The parts of what a message says; those of older clients have one kind for all files. */
export function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return isJsonArray(content) ? content.filter(isJsonObject) : []
}

/** The ids of calls that an input names. */
export function callIdsIn(input: RunInput): readonly string[] {
  const results = toolMessages(input).map(({ toolCallId }) => String(toolCallId))
  return [...results, ...(input.resume ?? []).map(({ interruptId }) => interruptId)]
}

/** An input with other ids of the calls that it answers. */
export function withCallIds(input: RunInput, idOf: (id: string) => string): RunInput {
  const toMessage = (one: JsonObject): JsonObject => {
    const { role, toolCallId } = one
    return role === 'tool' && typeof toolCallId === 'string'
      ? { ...one, toolCallId: idOf(toolCallId) }
      : one
  }
  const { messages, resume } = input
  return {
    ...input,
    messages: messages.map(toMessage),
    ...(Array.isArray(resume) && {
      resume: resume.map((entry) => ({ ...entry, interruptId: idOf(entry.interruptId) })),
    }),
  }
}
