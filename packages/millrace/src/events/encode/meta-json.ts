import {
  type GeneratedFile,
  type PromptFile,
  type RunEnd,
  type RunFiles,
  type RunInit,
} from '../agent-event.ts'
import { type Prompt } from '../message.ts'
import { toLabelledJson, toVisibleJson } from '../visible-json.ts'
import { toWireCost } from '../cost.ts'

/** The protocol version of these encoders. */
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
