import { checkOptions } from '../../../errors/index.ts'
import { toShownFailure } from '../../../events/index.ts'
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../json/index.ts'
import { expandChunk, type OpenChunks } from '../../../protocols/ag-ui/index.ts'
import { decodeSse } from '../../../sse/index.ts'
import type { Agent, RecoveryMode } from '../../port/index.ts'
import { createForeignAgent } from '../create-foreign-agent.ts'
import type { LoopInput, RememberingInput } from '../foreign-loop.ts'
import { checkLoop, type LoopOptions } from '../from-events.ts'
import type { LoopEvent, LoopMemory } from '../loop-event.ts'
import { AgUiRun, toResume } from './read-ag-ui.ts'
import { toAgUiMessages } from './to-ag-ui-messages.ts'

/** A browser tool that the server may call. */
export interface AgUiTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: object
}

/** The run of a request to an AG-UI server. */
export type AgUiRequestRun = Pick<LoopInput, 'context' | 'session' | 'runId'>

/** Headers of a request to an AG-UI server. */
export type AgUiHeaders = Readonly<Record<string, string>>

/** Options of {@link fromAgUi}. */
export interface AgUiAgentOptions extends LoopOptions {
  /** The address that accepts a `RunAgentInput`. */
  readonly url: string
  /** Headers of each request, or a function that returns them for the context of its run. */
  readonly headers?: AgUiHeaders | ((run: AgUiRequestRun) => AgUiHeaders | PromiseLike<AgUiHeaders>)
  /** The browser tools that are offered to the server. */
  readonly tools?: readonly AgUiTool[]
  /** The recovery of a run whose server died: by default its request is sent again; `end` ends it with an error. */
  readonly recovery?: Exclude<RecoveryMode, 'continue'>
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** Creates an agent from an AG-UI server. */
export function fromAgUi(options: AgUiAgentOptions): Agent {
  checkOptions('fromAgUi', options, {
    name: 'string',
    description: 'string',
    model: 'string',
    url: 'string',
    headers: 'any',
    tools: 'list',
    recovery: 'string',
    fetch: 'function',
  })
  const { name, description, model, recovery = 'rerun' } = options
  checkLoop('fromAgUi', options, recovery, ['rerun', 'end'])
  return createForeignAgent({
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    recovery,
    reportsRefusals: true,
    run: (input) => readServer(options, input),
  })
}

async function* readServer(
  options: AgUiAgentOptions,
  input: RememberingInput,
): AsyncGenerator<LoopEvent | LoopMemory> {
  const { answers, memory, signal } = input
  const response = await send(options, input)
  if (!(response instanceof Response)) {
    yield response
    return
  }
  const run = new AgUiRun(answers)
  const open: OpenChunks = new Map()
  for await (const frames of decodeSse(response.body ?? emptyBody(), { signal })) {
    for (const { data } of frames) {
      const event = parseJsonObject(data)
      if (event === undefined || !isEvent(event)) continue
      for (const one of expandChunk(event, open)) yield* run.read(one)
      if (run.isOver) break
    }
    if (run.isOver) break
  }
  if (!run.isOver) yield failure('The stream of the AG-UI server ended before its run.', true)
  const waiting: readonly JsonObject[] = run.waiting.map((one) => ({ ...one }))
  yield { type: 'memory', items: [...memory, ...waiting] }
}

/** Sends the conversation; returns an event for a request that fails. */
async function send(
  { url, headers = {}, tools = [], fetch: get = fetch }: AgUiAgentOptions,
  { session, runId, messages, answers, memory, signal, context }: RememberingInput,
): Promise<Response | Extract<LoopEvent, { readonly type: 'error' }>> {
  const resume = toResume(memory, answers)
  const body = {
    threadId: session,
    runId: answers.length === 0 ? runId : crypto.randomUUID(),
    messages: toAgUiMessages(session, messages),
    tools,
    context: [],
    state: {},
    forwardedProps: {},
    ...(resume.length > 0 && { resume }),
  }
  const own = typeof headers === 'function' ? await headers({ context, session, runId }) : headers
  const request = new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...own },
    body: JSON.stringify(body),
    signal,
  })
  try {
    const response = await get(request)
    if (response.ok) return response
    return refused(response.status, await response.text())
  } catch (error) {
    if (signal.aborted) throw error
    return failure('The AG-UI server cannot be reached.', true)
  }
}

/** The length of an error text from which the rest is cut. */
const MAX_ERROR_CHARS = 500

function refused(status: number, text: string) {
  const retriable = status >= 500 || status === 429
  const said = text.slice(0, MAX_ERROR_CHARS).trim()
  const { message } = toShownFailure({ type: 'agent_error', message: said, retriable })
  const reason = said === '' ? '.' : `: ${message}`
  return failure(`The AG-UI server answered with status ${status}${reason}`, retriable)
}

function failure(message: string, retriable: boolean) {
  return { type: 'error', message, code: 'agent_failed', retriable } as const
}

function emptyBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() })
}

function isEvent(value: JsonObject): value is JsonObject & { readonly type: string } {
  return isJsonObject(value) && typeof value['type'] === 'string'
}
