import type { EnvelopeType } from '../../../src/envelope/index.ts'

/** One sentence on each message type, for the JSON Schema; PROTOCOL.md has the rules. */
export const typeSummaries: Readonly<Record<EnvelopeType, string>> = {
  meta_init: 'A run starts: format, prompt, agent, model and its place in the tree of agents.',
  thinking: 'Reasoning of the model, as it arrives.',
  text: 'Text of the answer, as it arrives.',
  citation: 'A passage that supports the text block before it; `delta` is the cited text.',
  tool_call: 'The model calls a tool of ours; `delta` is the arguments as the model wrote them.',
  server_tool_call: 'The model calls a tool that its provider runs.',
  tool_result: 'What a tool of ours, or one in the browser, answered.',
  tool_result_image: 'An image inside the tool result with the same id; never final.',
  server_tool_result: 'What a tool that the provider ran answered.',
  awaiting_frontend_tools: 'The run is paused until the browser has answered these calls.',
  meta_files: 'Files that the run has made.',
  error: 'The run failed: type, message, code and whether trying again may help.',
  meta_final: 'The full summary of a run, sent only when asked for.',
  meta_step: 'A step ended: its number, stop reason, usage and cost.',
  meta_end: 'The run ended or paused: stop reason, steps, usage and cost.',
  rollback: 'What this step has shown so far is void; it is being tried again.',
  awaiting_approval: 'The run is paused until a person has decided on these calls.',
  tool_status: 'A call has come to another stage; `delta` says more of it.',
  user_message: 'A person has written to the run under way.',
  queued_prompt: 'A prompt waits for the end of the run, or has left the queue without a run.',
  meta_compaction: 'What the model is sent from now on is shorter than what was said.',
  aborted: 'The run was stopped (older dialect: `meta_end` says it today).',
  compaction_start:
    'Text up to `compaction_end` is a summary for the model, not an answer (older dialect).',
  compaction_end: 'The end of what `compaction_start` began (older dialect).',
}
