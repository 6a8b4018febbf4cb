import { isJsonObject } from 'millrace'
import { call, createDemo, say } from './demo-command.ts'
import type { ToolOutcome, Turn } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'

const tools = ['get_weather', 'get_time']

/** Two parallel tool calls, then an answer that uses their results. */
export const demoTools = createDemo('tools', {
  summary: 'Two tools that run concurrently on the server, then an answer with both results',
  tools,
  read: (rest) => ({ city: rest === '' ? 'Lisbon' : rest.slice(0, 80) }),
  reply: (turn) => (turn.step === 0 ? askBoth(turn) : answer(turn)),
})

function askBoth({ args }: Turn): ScriptedReply {
  const city = String(args['city'])
  const text = `Let me look up the weather and the time in ${city}, both at once.`
  return { blocks: [{ type: 'text', text }, ...tools.map((name) => call(name, { city }))] }
}

function answer({ args, results }: Turn): ScriptedReply {
  const [weather, time] = tools.map((tool) => results.find(({ name }) => name === tool))
  return say(
    `Here is ${String(args['city'])} right now:`,
    '',
    `- **Weather:** ${describe(weather)}`,
    `- **Local time:** ${describe(time)}`,
    '',
    'Both tools ran at the same time. Each result was shown as soon as it was ready; I received them in the order of my calls.',
  )
}

function describe(outcome: ToolOutcome | undefined): string {
  if (outcome === undefined) return 'no result.'
  const text = toPhrase(outcome.text)
  return outcome.isError ? `the tool failed with “${text}”.` : text
}

/** Tools may answer with plain text or JSON: an object becomes “temperature 21, sky clear”. */
function toPhrase(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return String(value)
    const entries = Object.entries(value)
    return entries.map(([key, part]) => `${key.replaceAll('_', ' ')} ${String(part)}`).join(', ')
  } catch {
    return text
  }
}
