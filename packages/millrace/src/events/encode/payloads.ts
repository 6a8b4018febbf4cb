import type {
  GeneratedFile,
  PromptFile,
  RunEnd,
  RunFiles,
  RunInit,
  AnnouncedCall,
  EventBase,
} from '../agent-event.ts'
import type { Prompt } from '../message.ts'
import { toLabelledJson, toVisibleJson } from '../visible-json.ts'
import { toWireCost } from '../cost.ts'
import { parseJsonOr } from '../../json/index.ts'
import type { Extras } from '../envelope/envelope.ts'

const PROTOCOL_VERSION = 1

/** Creates the `delta` of `meta_init`. */
export function toInitJson(event: RunInit, format: string, hasHistory: boolean): string {
  const { agent, runId, prompt, promptFiles, messageId, model, name, parentAgent = null } = event
  const { parentToolUseId, messages, session = agent, forkedFrom } = event
  return toVisibleJson({
    format,
    user_query: toPromptText(prompt),
    agent_uuid: session,
    parent_agent_uuid: parentAgent,
    model,
    message_history: hasHistory ? messages : undefined,
    protocol_version: PROTOCOL_VERSION,
    run_id: runId,
    name,
    parent_tool_use_id: parentToolUseId,
    user_files: promptFiles?.map(toPromptFileJson),
    forked_from: forkedFrom && { agent_uuid: forkedFrom.session, id: forkedFrom.frame },
    message_id: messageId,
  })
}

function toPromptFileJson({ block, fileId, filename }: PromptFile) {
  return { block, file_id: fileId, ...(filename !== undefined && { filename }) }
}

/** Returns a prompt as users see it: text, or JSON with the sizes of its data instead of the data. */
export function toPromptText(prompt: Prompt): string {
  return typeof prompt === 'string' ? prompt : toLabelledJson(prompt)
}

/** Creates the `delta` of `meta_final`. */
export function toFinalJson(event: RunEnd): string {
  const { messages, history = messages, stopReason, steps, usage, files, cost = null } = event
  return toVisibleJson({
    conversation_history: history,
    stop_reason: stopReason,
    total_steps: steps,
    generated_files: files.length === 0 ? null : files.map(toWireFile),
    cost: toWireCost(cost),
    cumulative_usage: usage,
  })
}

/** Creates the `delta` of `meta_files`. */
export function toFilesJson({ files }: RunFiles): string {
  return JSON.stringify({ files: files.map(toWireFile) })
}

/** Returns a file in its wire form. */
export function toWireFile({ fileId, filename, storageLocation }: GeneratedFile) {
  return { file_id: fileId, filename, storage_location: storageLocation }
}

/** Encodes pending calls, with the arguments in the model's own bytes. */
export function toAwaitedJson(calls: readonly (AnnouncedCall & Partial<EventBase>)[]): string {
  return `[${calls.map((call) => toCallJson(call)).join(',')}]`
}

/** Encodes calls that wait for approval, with their requests. [APR-1] */
export function toApprovalsJson(calls: readonly (AnnouncedCall & Partial<EventBase>)[]): string {
  return `[${calls.map((call) => toCallJson(call, toRequestFields(call))).join(',')}]`
}

/** Returns the wire fields of a call's approval request. [APR-1] */
export function toRequestFields({ request }: AnnouncedCall): Readonly<Record<string, string>> {
  if (request === undefined) return {}
  const { askedAt, expiresAt, inputHash } = request
  return {
    ...(inputHash !== undefined && { input_hash: inputHash }),
    asked_at: new Date(askedAt).toISOString(),
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
  }
}

function toCallJson(
  { id, name, inputText, agent }: AnnouncedCall & Partial<EventBase>,
  fields: object = {},
): string {
  const rest = { ...(agent !== undefined && { agent }), ...fields }
  const more = Object.entries(rest).map(([key, value]) => `,"${key}":${JSON.stringify(value)}`)
  return `{"tool_use_id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${toInputJson(inputText)}${more.join('')}}`
}

/** Returns the arguments as JSON; invalid JSON becomes a string, so that the frame stays readable. */
function toInputJson(inputText: string): string {
  if (inputText.trim() === '') return '{}'
  return parseJsonOr(inputText, undefined) === undefined ? JSON.stringify(inputText) : inputText
}

/** A decision on a call: its author, time and subject. */
interface DecisionRecord {
  /** The user who decided; null if the server has none, or if the request expired. */
  readonly by: string | null
  /** Milliseconds since the epoch, by the clock of the server that received the decision. */
  readonly at: number
  /** The hash of the arguments that were decided on. [APR-1] */
  readonly inputHash?: string | undefined
  /** Whether the call was approved with edited arguments. */
  readonly isEdited: boolean
}

/** Returns the fields of a `tool_status` that record a decision. [APR-3] */
export function toDecisionFields({ by, at, inputHash, isEdited }: DecisionRecord): Extras {
  return {
    ...(by !== null && { by }),
    at: new Date(at).toISOString(),
    ...(inputHash !== undefined && { input_hash: inputHash }),
    ...(isEdited && { edited: true }),
  }
}

/** Checks for the status of a call that records a decision; the time is in every record. */
export function isDecision(event: { readonly type: string; readonly fields?: Extras }): boolean {
  return event.type === 'tool_status' && event.fields?.['at'] !== undefined
}
