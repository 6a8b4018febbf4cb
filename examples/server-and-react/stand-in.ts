import { anthropic } from 'millrace/anthropic'
import { createEmulator, type Scenario, type ScriptedBlock } from 'millrace-tools/emulator'

/** Grinds the number in the question, and first asks for confirmation if it is large. */
const script: Scenario = {
  name: 'miller',
  summary: 'Grinds as much as the question says',
  matches: () => true,
  reply: ({ prompt, results }) => {
    const kilograms = Number(/\d+/.exec(prompt)?.[0] ?? 5)
    const question = `${kilograms} kg is a lot. Shall I grind it all?`
    const last = results.at(-1)
    if (last === undefined && kilograms > 10) return call('user_confirm', { question })
    if (last?.name === 'user_confirm' && last.text !== 'yes') return say('Then the stones rest.')
    if (last?.name === 'grind') return say(`${kilograms} kg of grain make ${last.text}.`)
    return call('grind', { kilograms })
  },
}

const reply = (block: ScriptedBlock) => ({ blocks: [block] })
const say = (text: string) => reply({ type: 'text', text })
const call = (name: string, input: Record<string, string | number>) =>
  reply({ type: 'tool_use', name, input })

/** A model that needs no key and no network, because it follows a script. */
export function createStandIn() {
  const { fetch } = createEmulator({ scenarios: [script] })
  return anthropic('stand-in', { apiKey: 'none needed', fetch })
}
