import { isPauseReason, traitsOfEvent } from '../../envelope/index.ts'
import {
  type CollectedCall,
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  type CollectedResult,
  dataOf,
  objectsIn,
  type PauseEvent,
  type PendingCall,
} from '../../events/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import { decisionFieldsIn, settledStages } from '../port/index.ts'
import { toMetadata, wordsOf } from './ag-ui-event.ts'
import type { AgUiRun } from './ag-ui-run.ts'
import { voidBlocks } from './void-blocks.ts'

/** Writes the events of each type. */
type Handlers = {
  readonly [Type in CollectedEvent['type']]?: (run: AgUiRun, event: CollectedEventOf<Type>) => void
}

const handlers: Handlers = {
  run_start: (run, { agent, payload }) => {
    if (!run.isRoot(agent)) return startSubagent(run, agent, payload)
    run.restart(payload)
    const prompt = wordsOf(payload['user_query'])
    if (prompt !== undefined && run.options.prompts !== 'leave_out') {
      writeUserMessage(run, agent, `p${run.at}`, prompt)
    }
  },
  text: takePiece,
  thinking: takePiece,
  tool_call: takePiece,
  server_tool_call: takePiece,
  tool_result: takeResult,
  server_tool_result: takeResult,
  tool_status: (run, event) => {
    const { agent, callId: toolCallId, name: toolCallName, stage, detail } = event
    if (settledStages.has(stage)) run.calls.settle(toolCallId)
    const decision = decisionFieldsIn(event.fields)
    writeCustom(run, agent, 'tool_status', { toolCallId, toolCallName, stage, detail, ...decision })
  },
  user_message: (run, { agent, text, block }) => {
    run.blocks.turn(agent)
    if (text === run.options.steered) run.open()
    else writeUserMessage(run, agent, block, text)
  },
  awaiting_frontend_tools: awaitCalls,
  awaiting_approval: awaitCalls,
  step_end: (run, { agent, payload }) => {
    run.steps.end(agent, payload)
    run.blocks.turn(agent)
  },
  rollback: (run, { agent, payload, voided }) => {
    const messageIds = run.tells(agent) ? voidBlocks(run, voided) : []
    run.blocks.turn(agent)
    writeCustom(run, agent, 'rollback', { ...payload, messageIds })
  },
  files: (run, { agent, payload, block: messageId }) => {
    const content = { files: objectsIn(payload['files']) }
    run.say(agent, 'ACTIVITY_SNAPSHOT', { messageId, activityType: 'files', content })
  },
  compaction: (run, { agent, payload }) => writeCustom(run, agent, 'compaction', payload),
  run_summary: (run, { agent, payload }) => writeCustom(run, agent, 'summary', payload),
  error: (run, { agent, payload }) => {
    run.open()
    run.subagents.fail(agent, payload)
    if (run.isRoot(agent)) run.noteFailure(payload)
  },
  run_end: (run, { agent, payload }) => {
    if (run.isRoot(agent)) run.close(payload)
    else endSubagent(run, agent, payload)
  },
  queued_prompt: writeData,
  unknown: writeData,
}

/** Writes an event; one without a form of its own as its row says. */
export function writeEvent(run: AgUiRun, event: CollectedEvent): void {
  // The handler of a type takes nothing else.
  const handle = handlers[event.type] as ((run: AgUiRun, one: CollectedEvent) => void) | undefined
  if (handle !== undefined) handle(run, event)
  else if (traitsOfEvent(event.type)?.fallback === 'data') writeData(run, event)
}

function writeData(run: AgUiRun, event: CollectedEvent): void {
  const { name, value } = dataOf(event)
  writeCustom(run, event.agent, name, value)
}

function takePiece(run: AgUiRun, piece: CollectedProse | CollectedCall): void {
  const { agent, start } = piece
  if (!run.tells(agent)) return
  if (start) run.steps.begin(agent)
  run.blocks.take(piece)
}

function awaitCalls(run: AgUiRun, event: PauseEvent): void {
  run.open()
  run.calls.await(event)
  for (const call of event.calls) if (run.calls.find(call.callId) === undefined) showCall(run, call)
}

function startSubagent(run: AgUiRun, agent: string, info: JsonObject): void {
  run.open()
  if (!run.tells(agent)) return
  run.steps.restart(agent)
  run.blocks.turn(agent)
  run.subagents.begin(agent, info, run.at)
}

/** One that waits may go on in this run, and can be announced only once in it: it stays until the run is over. */
function endSubagent(run: AgUiRun, agent: string, info: JsonObject): void {
  run.open()
  if (!run.tells(agent) || isPauseReason(info['stop_reason'])) return
  run.subagents.enter(agent, run.at)
  run.blocks.close(agent)
  run.steps.close(agent)
  run.subagents.end(agent, 'done', info)
}

function takeResult(run: AgUiRun, result: CollectedResult): void {
  const { type, agent, callId: toolCallId, name, text, isError, images, block: key } = result
  const isServer = type === 'server_tool_result'
  const interrupted = result.interrupted || undefined
  const call = run.calls.find(toolCallId)
  run.calls.answer(toolCallId, key)
  if (!isServer) run.blocks.turn(agent)
  if (run.options.answered?.has(toolCallId) === true) return run.open()
  if (isServer && call === undefined) {
    // What the provider did without a call, such as moving to another model. [MAP-1]
    const content = toContent(text)
    const activityType = `millrace.${name}`
    const fields = { messageId: key, activityType, content, metadata: toMetadata({ toolCallId }) }
    return run.say(agent, 'ACTIVITY_SNAPSHOT', fields)
  }
  const metadata = toMetadata({
    isError: isError || undefined,
    interrupted,
    name: isServer ? name : undefined,
  })
  const content = images.length === 0 ? text : [...toTextParts(text), ...images.map(toImagePart)]
  const fields = { messageId: key, toolCallId, content, role: 'tool', metadata }
  if (call !== undefined && run.tells(agent)) run.say(agent, 'TOOL_CALL_RESULT', fields)
  // A call of a sub-agent that is not told of was shown as one of the run's, for the client to answer.
  else if (call !== undefined) run.sayForAll('TOOL_CALL_RESULT', fields)
  else run.say(agent, 'TOOL_CALL_RESULT', fields)
}

function toTextParts(text: string): readonly JsonObject[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

const dataPattern = /^data:([^;,]*);base64,/

function toImagePart({ src, mediaType }: CollectedResult['images'][number]): JsonObject {
  const [prefix, type = ''] = dataPattern.exec(src) ?? []
  if (prefix === undefined) {
    return { type: 'image', source: { type: 'url', value: src, mimeType: mediaType } }
  }
  const value = src.slice(prefix.length)
  return { type: 'image', source: { type: 'data', value, mimeType: mediaType || type } }
}

/** Shows a call that waits and was not told of before. */
function showCall(run: AgUiRun, { callId: toolCallId, name, input, agent }: PendingCall): void {
  const messageId = `${toolCallId}-call`
  run.calls.show(toolCallId, { agent, messageId })
  const start = { toolCallId, toolCallName: name, parentMessageId: messageId }
  // Arguments that are no JSON stand there as text.
  const delta = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  const say = run.tells(agent) ? run.say.bind(run, agent) : run.sayForAll.bind(run)
  say('TOOL_CALL_START', start)
  say('TOOL_CALL_ARGS', { toolCallId, delta })
  say('TOOL_CALL_END', { toolCallId })
}

/** Writes a message of the user. */
function writeUserMessage(run: AgUiRun, agent: string, messageId: string, words: string): void {
  run.say(agent, 'TEXT_MESSAGE_START', { messageId, role: 'user' })
  run.say(agent, 'TEXT_MESSAGE_CONTENT', { messageId, delta: words })
  run.say(agent, 'TEXT_MESSAGE_END', { messageId })
}

function writeCustom(run: AgUiRun, agent: string, name: string, value: JsonObject): void {
  run.say(agent, 'CUSTOM', { name: `millrace.${name}`, value })
}

/** A result as a value, unless the value would not give the same text again. */
function toContent(text: string): JsonObject {
  try {
    const result = JSON.parse(text) as JsonValue
    return JSON.stringify(result) === text ? { result } : { text }
  } catch {
    return { text }
  }
}
