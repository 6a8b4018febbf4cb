import type { EnvelopeType } from '../../../src/events/index.ts'

/** One sentence on each frame type, for the JSON Schema; PROTOCOL.md has the rules. */
export const typeSummaries: Readonly<Record<EnvelopeType, string>> = {
  meta_init: 'A run starts: format, prompt, agent, model and its place in the tree of agents.',
  thinking: 'Reasoning of the model, as it arrives.',
  text: 'Text of the answer, as it arrives.',
  citation: 'A passage that supports the text block before it; `delta` is the cited text.',
  tool_call: 'A call of a tool of the agent; `delta` is the arguments as the model wrote them.',
  server_tool_call: 'A call of a tool that the provider runs.',
  tool_result: 'The result of a tool of the agent or of the browser.',
  tool_result_image: 'An image inside the tool result with the same id; never final.',
  server_tool_result: 'The result of a tool that the provider ran.',
  awaiting_frontend_tools: 'The run is paused until the browser has answered these calls.',
  meta_files: 'Files that the run has generated.',
  error: 'The run failed: type, message, code and whether a retry may help.',
  meta_final: 'The full summary of a run, sent only on request.',
  meta_step: 'A step ended: its number, stop reason, usage and cost.',
  meta_end: 'The run ended or paused: stop reason, steps, usage and cost.',
  rollback: 'The blocks of this step so far are void; the step is retried.',
  awaiting_approval: 'The run is paused until a person has decided on these calls.',
  tool_status: 'A call has reached another stage; `delta` has the details.',
  user_message: 'A message of a person to the active run.',
  queued_prompt: 'A prompt waits for the end of the run, or has left the queue without a run.',
  meta_compaction: 'From now on the model gets a shorter conversation than the stored one.',
  aborted: 'The run was stopped (older dialect; `meta_end` replaces it).',
  compaction_start:
    'Text up to `compaction_end` is a summary for the model, not an answer (older dialect).',
  compaction_end: 'The end of the summary that `compaction_start` began (older dialect).',
}
