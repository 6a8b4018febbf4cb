import type { JsonObject } from 'millrace'
import type { ToolOutcome, Turn } from '../../replies/scenario.ts'
import type { ScriptedReply } from '../../replies/scripted-reply.ts'
import { call, createDemo, say } from './demo-command.ts'
import { toFields } from './tool-fields.ts'

const cities = ['Lisbon', 'Oslo', 'Nairobi', 'Tokyo']
const tools = ['get_weather', 'get_time']

/** More parallel calls than the agent runs at once. */
export const demoParallelTools = createDemo('parallel-tools', {
  summary: 'Eight calls in one message: five run at once, and results come as they are ready',
  tools,
  reply: (turn) => (turn.step === 0 ? askAll() : compare(turn)),
})

function askAll(): ScriptedReply {
  const calls = cities.flatMap((city) => tools.map((tool) => call(tool, { city })))
  const text = `The weather and the time in ${cities.length} cities: that is ${calls.length} independent calls.`
  return { blocks: [{ type: 'text', text }, ...calls] }
}

function compare({ results }: Turn): ScriptedReply {
  const rows = cities.map((city) => {
    const [weather = {}, time = {}] = tools.map((tool) => find(results, tool, city))
    const cells = [city, weather['temperature'], weather['sky'], time['time']]
    return `| ${cells.map((cell) => String(cell ?? '–')).join(' | ')} |`
  })
  return say(
    '| city | temperature | sky | local time |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    'The agent ran five of the calls at a time. You saw each result as soon as it was ready, in any order; I received all of them together, in the order of my calls, as the API requires.',
  )
}

function find(results: readonly ToolOutcome[], tool: string, city: string): JsonObject {
  const outcome = results.find(
    ({ name, input }) => name === tool && toFields(input)['city'] === city,
  )
  return outcome === undefined || outcome.isError ? {} : toFields(outcome.text)
}
