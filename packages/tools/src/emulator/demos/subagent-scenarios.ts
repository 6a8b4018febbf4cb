import type { Scenario, Turn } from '../replies/scenario.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import { call, say } from './tools/demo-command.ts'

/** Task of the first sub-agent. */
export const historianTask = 'Who built the mill at the Lower Brook, and when? Use the archive.'

/** Task of the second sub-agent. */
export const engineerTask =
  'How much power can the mill at the Lower Brook give? Have the fall measured, do not guess.'

const surveyorTask = 'Measure the fall of the water at the mill on the Lower Brook, five times.'

const question =
  'The family’s letters say when the mill was built, but they are private. May I quote from them?'

function createSubagentScenario(
  name: string,
  task: string,
  reply: (turn: Turn) => ScriptedReply,
): Scenario & { readonly task: string } {
  const summary = `The task of the ${name} of /demo subagents`
  return { name, task, summary, matches: (prompt) => prompt === task, reply }
}

const historian = createSubagentScenario('historian', historianTask, ({ step, results }) => {
  if (step === 0) {
    const thinking =
      'Who and when are two questions. The ledgers should name the builder, because somebody had to pay the carters. For the years I may need something else.'
    return {
      blocks: [
        { type: 'thinking', thinking },
        call('search_archive', { query: 'mill, Lower Brook, building' }),
      ],
    }
  }
  if (step === 1) {
    const text = 'The ledger names the builder, but no year. The letters do, so I have to ask.'
    return { blocks: [{ type: 'text', text }, call('user_confirm', { question })] }
  }
  const answer = results.find(({ name }) => name === 'user_confirm')
  const isAllowed = answer !== undefined && !answer.isError && /\b(yes|true)\b/i.test(answer.text)
  return say(
    isAllowed
      ? 'The widow Hanna Brandt built it from 1786 to 1791. The ledger has every carter she paid, and a letter of 1791 has the end: “Today the wheel turned.”'
      : 'The widow Hanna Brandt built it, says the ledger, which has every carter she paid. The year is in private letters, which I leave closed.',
  )
})

const engineer = createSubagentScenario('engineer', engineerTask, ({ step, results }) => {
  if (step === 0) {
    const text =
      'Power is water times fall. The flow is on record, 200 litres a second; the fall is not, so I send the surveyor.'
    return {
      blocks: [
        { type: 'text', text },
        call('spawn_subagent', { agent_name: 'surveyor', task: surveyorTask }),
      ],
    }
  }
  const fall = results.find(({ name }) => name === 'spawn_subagent')
  if (fall === undefined || fall.isError)
    return say('Nobody could measure the fall, and I do not guess.')
  return say(
    '200 litres a second over 4.1 metres are 8 kW of water. A good overshot wheel makes about **6.4 kW** of work of them.',
  )
})

const surveyor = createSubagentScenario('surveyor', surveyorTask, ({ step, results }) => {
  if (step === 0) return { blocks: [call('measure_fall', { site: 'Lower Brook', readings: 5 })] }
  const [readings] = results
  if (readings === undefined || readings.isError) return say('The instrument gave no reading.')
  return say(`The fall is 4.1 m. ${readings.text}`)
})

/** Scenarios of the sub-agents, each selected by its task. */
export const subagentScenarios: readonly Scenario[] = [historian, engineer, surveyor]

/** Returns the answer of a sub-agent in one line, without the text that the tool adds for the calling model. */
export function toReport(text: string): string {
  return text
    .replace(/^Answer of the agent .*\nAgent UUID: .*\n/, '')
    .replace(/\n\[stop_reason=.*\]$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
}
