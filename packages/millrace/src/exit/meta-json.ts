import type {
  Compacted,
  FilesReady,
  MadeFile,
  Prompt,
  PromptFile,
  RunEnd,
  RunError,
  RunStart,
  StepEnd,
  StepRollback,
} from '../events/index.ts'
import { toWireCost } from '../models/pricing/index.ts'
import { toLabelledJson, toVisibleJson } from './visible-json.ts'

/** The version of the protocol that this code writes. */
const PROTOCOL_VERSION = 1

/** The `delta` of `meta_init`. */
export function toInitJson(event: RunStart, format: string, hasHistory: boolean): string {
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

/** A prompt as people see it: text, or JSON with the sizes of its data in place of them. */
export function toPromptText(prompt: Prompt): string {
  return typeof prompt === 'string' ? prompt : toLabelledJson(prompt)
}

/** The `delta` of `meta_step`. */
export function toStepJson({ step, stopReason, usage, cost = null }: StepEnd): string {
  return JSON.stringify({ step, stop_reason: stopReason, usage, cost: toWireCost(cost) })
}

/** The `delta` of `meta_compaction`. */
export function toCompactionJson({ strategy, tokensBefore, tokensAfter }: Compacted): string {
  return JSON.stringify({ strategy, tokens_before: tokensBefore, tokens_after: tokensAfter })
}

/** The `delta` of `rollback`. */
export function toRollbackJson({ step, attempt, reason }: StepRollback): string {
  return JSON.stringify({ step, attempt, reason })
}

/** The `delta` of `error`; nothing but these four fields leaves the server. */
export function toErrorJson({ error: { type, message, code, retriable } }: RunError): string {
  return JSON.stringify({ type, message, code, retriable })
}

/** The `delta` of `meta_end`. */
export function toEndJson({ stopReason, steps, usage, cost = null }: RunEnd): string {
  const total = { stop_reason: stopReason, total_steps: steps, usage, cost: toWireCost(cost) }
  return JSON.stringify(total)
}

/** The `delta` of `meta_final`. */
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

/** The `delta` of `meta_files`. */
export function toFilesJson({ files }: FilesReady): string {
  return JSON.stringify({ files: files.map(toWireFile) })
}

/** A file as the wire names it. */
export function toWireFile({ fileId, filename, storageLocation }: MadeFile) {
  return { file_id: fileId, filename, storage_location: storageLocation }
}
