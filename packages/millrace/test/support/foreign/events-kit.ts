import { Anthropic } from '@anthropic-ai/sdk'
import { fromEvents, type LoopEvent, type LoopInput } from 'millrace/adapters'
import { openMill } from './emulated-mill.ts'
import { type Kit, toolResults } from './kit.ts'

const tool = (name: string) => ({
  name,
  description: '',
  input_schema: { type: 'object' as const },
})
const tools = ['look_up', 'ask_price', 'pay'].map(tool)

function runTool(name: string, input: unknown): string {
  return name === 'pay'
    ? toolResults.pay(input as { euros: number })
    : toolResults.look_up(input as { word: string })
}

/** An agent loop as people write it, with the SDK of a provider. */
async function* loop(
  client: Anthropic,
  { messages, answers, signal }: LoopInput,
): AsyncGenerator<LoopEvent> {
  const said = messages.map(({ role, content }) => ({ role, content: [...content] as never[] }))
  for (const { callId, name, input, kind } of answers)
    if (kind === 'approved')
      yield { type: 'tool_result', callId, text: give(said, callId, runTool(name, input)) }
  for (;;) {
    const stream = client.messages.stream(
      {
        model: 'emulated',
        max_tokens: 2048,
        messages: said,
        tools,
        thinking: { type: 'enabled', budget_tokens: 1024 },
      },
      { signal },
    )
    for await (const event of stream) {
      if (event.type !== 'content_block_delta') continue
      const { delta } = event
      if (delta.type === 'text_delta') yield { type: 'text', text: delta.text }
      if (delta.type === 'thinking_delta') yield { type: 'thinking', text: delta.thinking }
      if (delta.type === 'signature_delta')
        yield { type: 'thinking', text: '', signature: delta.signature }
    }
    const { content, stop_reason: stopReason, usage } = await stream.finalMessage()
    said.push({ role: 'assistant', content: content as never[] })
    const calls = content.filter((block) => block.type === 'tool_use')
    for (const { id: callId, name, input } of calls)
      yield { type: 'tool_call', callId, name, input: input as object & {} as never }
    const { input_tokens: given, output_tokens: written } = usage
    const counts = { input_tokens: given, output_tokens: written }
    yield { type: 'step_end', stopReason: stopReason ?? 'end_turn', usage: counts }
    for (const { id, name } of calls) {
      if (name === 'ask_price') return yield { type: 'awaiting_frontend_tools', calls: [id] }
      if (name === 'pay') return yield { type: 'awaiting_approval', calls: [id] }
    }
    if (calls.length === 0) return
    for (const { id, name, input } of calls)
      yield { type: 'tool_result', callId: id, text: give(said, id, runTool(name, input)) }
  }
}

/** Adds a result to the conversation of the loop. */
function give(said: { role: string; content: never[] }[], id: string, content: string): string {
  const result = { type: 'tool_result', tool_use_id: id, content }
  said.push({ role: 'user', content: [result as never] })
  return content
}

/** A loop of one's own. */
export const events: Kit = {
  title: '`fromEvents`',
  notes: {
    crash: { text: 'by its `recovery`' },
    usage: { text: 'as the loop reports it' },
    steer: { lacks: true, text: 'refused with 409' },
  },
  open: (speed) => {
    const client = new Anthropic({ apiKey: 'any', fetch: openMill(speed).fetch, maxRetries: 0 })
    return fromEvents({
      name: 'mill',
      recovery: 'continue',
      run: (input) => loop(client, input),
    })
  },
}
