import {
  createEmulator,
  type Pace,
  type Scenario,
  type ScriptedReply,
} from 'millrace-tools/emulator'

const say = (text: string): ScriptedReply => ({ blocks: [{ type: 'text', text }] })
const call = (name: string, input: Record<string, string | number>): ScriptedReply => ({
  blocks: [
    { type: 'text', text: 'One moment.' },
    { type: 'tool_use', name, input },
  ],
})

/** The tool that the model calls for prompts with a word. */
const calls: Readonly<Record<string, ScriptedReply>> = {
  tool: call('look_up', { word: 'rye' }),
  browser: call('ask_price', { item: 'flour' }),
  approve: call('pay', { euros: 3 }),
}

/** A model that calls the tool that a prompt names, and reports its result. */
const mill: Scenario = {
  name: 'mill',
  summary: 'Calls the tool that the prompt names',
  matches: () => true,
  reply: ({ prompt, step, results, messages }) => {
    const [word] = prompt.split(' ')
    const wanted = word === undefined ? undefined : calls[word]
    if (step === 0 && wanted !== undefined) return wanted
    const [result] = results
    if (result !== undefined) return say(`The tool said: ${result.text}`)
    if (word === 'recall') {
      // The OpenAI Agents SDK sends the text and the calls of one answer as two messages.
      const said = messages.filter(
        ({ role }, index) => role === 'assistant' && messages[index - 1]?.role !== 'assistant',
      )
      return say(`I have spoken ${said.length} times.`)
    }
    if (word === 'fail') return { blocks: [], faults: [{ kind: 'status', status: 400 }] }
    if (word === 'think')
      return {
        blocks: [
          { type: 'thinking', thinking: 'Grain becomes flour.' },
          { type: 'text', text: 'Flour.' },
        ],
      }
    const turns = 'The stones turn and turn. '.repeat(word === 'forever' ? 300 : 20)
    return say(`You asked for ${prompt}. ${turns}Done.`)
  },
}

/** The speed of a model: a slow one needs ten seconds for a long answer, a steady one a second, or twenty for the prompt `forever`. */
export type Speed = 'slow' | 'steady' | 'instant'

const paces: Readonly<Record<Speed, Pace | 'instant'>> = {
  slow: { tokensPerSecond: 10, firstTokenMs: 0, jitter: 0 },
  steady: { tokensPerSecond: 100, firstTokenMs: 0, jitter: 0 },
  instant: 'instant',
}

/** Opens the emulator with that model. */
export function openMill(speed: Speed): { readonly fetch: typeof fetch } {
  return createEmulator({ scenarios: [mill], pace: paces[speed], seed: 'mill' })
}
