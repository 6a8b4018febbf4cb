import { anthropic } from 'millrace/anthropic'
import { createEmulator } from 'millrace-tools/emulator'

const { ANTHROPIC_API_KEY, MILLRACE_MODEL = 'claude-sonnet-5' } = process.env

/** Claude, or a stand-in where there is no key, so that the app runs at once. */
export const model = ANTHROPIC_API_KEY ? anthropic(MILLRACE_MODEL) : createStandIn()

const whoIAm =
  'I am a script that stands in for a model until ANTHROPIC_API_KEY is set. Ask me how much flour 20 kg make.'
const say = (text) => ({ type: 'text', text })

/** A model that follows a script: it grinds the first number of a question, and reports the result. */
function createStandIn() {
  console.warn('ANTHROPIC_API_KEY is not set: a scripted stand-in for a model answers.')
  const script = {
    name: 'miller',
    summary: 'Grinds as much as the question says',
    matches: () => true,
    reply: ({ prompt, results }) => {
      const kilograms = Number(/\d+/.exec(prompt)?.[0])
      const ground = results.at(-1)
      if (ground) return { blocks: [say(`${kilograms} kg of grain make ${ground.text}.`)] }
      if (!kilograms) return { blocks: [say(whoIAm)] }
      const call = { type: 'tool_use', name: 'grind', input: { kilograms } }
      return { blocks: [say('Let me see what the stones make of it.'), call] }
    },
  }
  const { fetch } = createEmulator({ scenarios: [script] })
  return anthropic('stand-in', { apiKey: 'none needed', fetch })
}
