import {
  type CollectedCall,
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  type CollectedResult,
  dataOf,
  isGrowing,
  isOfProvider,
  isPauseReason,
  objectsIn,
  type PausedCall,
  type PauseEvent,
  type Piece,
  traitsOfEvent,
} from '../../events/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import { decisionFieldsIn, settledStages } from '../port/index.ts'
import { toMetadata, wordsOf } from './ag-ui-event.ts'
import type { AgUiRun } from './ag-ui-run.ts'

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
    const messageIds = run.shows(agent) ? voidBlocks(run, voided) : []
    run.blocks.turn(agent)
    writeCustom(run, agent, 'rollback', { ...payload, messageIds })
  },
  files: (run, { agent, payload, block: messageId }) => {
    const content = { files: objectsIn(payload['files']) }
    run.emit(agent, 'ACTIVITY_SNAPSHOT', { messageId, activityType: 'files', content })
  },
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

/** Writes an event. A type without a handler is written by the fallback of its row. */
export function writeEvent(run: AgUiRun, event: CollectedEvent): void {
  // A handler accepts only events of its type.
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
  if (!run.shows(agent)) return
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
  if (!run.shows(agent)) return
  run.steps.restart(agent)
  run.blocks.turn(agent)
  run.subagents.begin(agent, info, run.at)
}

/** Ends a sub-agent. A paused sub-agent stays open until the run ends: it may continue in this run, which can announce it only once. */
function endSubagent(run: AgUiRun, agent: string, info: JsonObject): void {
  run.open()
  if (!run.shows(agent) || isPauseReason(info['stop_reason'])) return
  run.subagents.enter(agent, run.at)
  run.blocks.close(agent)
  run.steps.close(agent)
  run.subagents.end(agent, 'done', info)
}

function takeResult(run: AgUiRun, result: CollectedResult): void {
  const { type, agent, callId: toolCallId, name, text, isError, images, block: key } = result
  const isServer = isOfProvider(type)
  const interrupted = result.interrupted || undefined
  const call = run.calls.find(toolCallId)
  run.calls.answer(toolCallId, key)
  if (!isServer) run.blocks.turn(agent)
  if (run.options.answered?.has(toolCallId) === true) return run.open()
  if (isServer && call === undefined) {
    // A provider action without a call, such as a change of the model. [MAP-1]
    const content = toContent(text)
    const activityType = `millrace.${name}`
    const fields = { messageId: key, activityType, content, metadata: toMetadata({ toolCallId }) }
    return run.emit(agent, 'ACTIVITY_SNAPSHOT', fields)
  }
  const metadata = toMetadata({
    isError: isError || undefined,
    interrupted,
    name: isServer ? name : undefined,
  })
  const content = images.length === 0 ? text : [...toTextParts(text), ...images.map(toImagePart)]
  const fields = { messageId: key, toolCallId, content, role: 'tool', metadata }
  if (call !== undefined && run.shows(agent)) run.emit(agent, 'TOOL_CALL_RESULT', fields)
  // The call of an omitted sub-agent was written as a call of the run, for the client to answer.
  else if (call !== undefined) run.emitForRun('TOOL_CALL_RESULT', fields)
  else run.emit(agent, 'TOOL_CALL_RESULT', fields)
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

/** Writes a pending call that was not written before. */
function showCall(run: AgUiRun, { callId: toolCallId, name, input, agent }: PausedCall): void {
  const messageId = `${toolCallId}-call`
  run.calls.show(toolCallId, { agent, messageId })
  const start = { toolCallId, toolCallName: name, parentMessageId: messageId }
  // Arguments that are not JSON are kept as text.
  const delta = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  const emit = run.shows(agent) ? run.emit.bind(run, agent) : run.emitForRun.bind(run)
  emit('TOOL_CALL_START', start)
  emit('TOOL_CALL_ARGS', { toolCallId, delta })
  emit('TOOL_CALL_END', { toolCallId })
}

function writeUserMessage(run: AgUiRun, agent: string, messageId: string, words: string): void {
  run.emit(agent, 'TEXT_MESSAGE_START', { messageId, role: 'user' })
  run.emit(agent, 'TEXT_MESSAGE_CONTENT', { messageId, delta: words })
  run.emit(agent, 'TEXT_MESSAGE_END', { messageId })
}

function writeCustom(run: AgUiRun, agent: string, name: string, value: JsonObject): void {
  run.emit(agent, 'CUSTOM', { name: `millrace.${name}`, value })
}

/** Converts a result to a value, if the value serializes to the same text. */
function toContent(text: string): JsonObject {
  try {
    const result = JSON.parse(text) as JsonValue
    return JSON.stringify(result) === text ? { result } : { text }
  } catch {
    return { text }
  }
}

/**
 * Voids messages one by one, and returns their ids. AG-UI can only replace all messages at once. But an activity replaces the message with
 * its id, and clients neither show nor send back unknown activities.
 */
function voidBlocks(run: AgUiRun, voided: readonly Piece[]): readonly string[] {
  const agents = new Map<string, string>()
  for (const piece of voided) {
    if (!isGrowing(piece)) continue
    const { agent, block } = piece
    const callId = 'callId' in piece ? piece.callId : ''
    for (const id of callId === '' ? [block] : voidCall(run, { agent, callId, block })) {
      agents.set(id, agent)
    }
  }
  for (const [messageId, agent] of agents) {
    const fields = { messageId, activityType: 'millrace.void', content: {}, replace: true }
    run.emit(agent, 'ACTIVITY_SNAPSHOT', fields)
  }
  return [...agents.keys()]
}

/** Adds a result to a call first, because a client would otherwise run it. */
function voidCall(
  run: AgUiRun,
  { agent, callId: toolCallId, block }: Record<'agent' | 'callId' | 'block', string>,
): readonly string[] {
  const call = run.calls.find(toolCallId)
  run.calls.forget(toolCallId)
  const messageId = call?.resultId ?? `${block}-void`
  if (call?.resultId === undefined) {
    const content = 'This call is void: the step is retried.'
    const fields = { messageId, toolCallId, content, role: 'tool', metadata: { isVoid: true } }
    run.emit(agent, 'TOOL_CALL_RESULT', fields)
  }
  return [call?.messageId ?? block, messageId]
}
