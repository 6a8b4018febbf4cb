import { useId } from 'react'
import { rootAgent } from 'millrace'
import type { AgentNode, Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { useStudio } from '../../session/index.ts'

interface TargetPickerProps {
  readonly value: string | undefined
  readonly onChange: (agent: string | undefined) => void
}

/** Selects the agent to steer while sub-agents work. */
export function TargetPicker({ value, onChange }: TargetPickerProps) {
  const id = useId()
  const workers = useActiveSubagents()
  if (workers.length === 0) return null
  const isPresent = workers.some((worker) => worker.id === value)
  return (
    <p className="target-picker">
      <label htmlFor={id}>Send to</label>
      <select
        id={id}
        value={isPresent ? value : ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">the main agent</option>
        {workers.map((worker) => (
          <option key={worker.id} value={worker.id}>
            {worker.name}
          </option>
        ))}
      </select>
    </p>
  )
}

/** A sub-agent that is working. */
interface ActiveSubagent {
  readonly id: string
  readonly name: string
}

/** Returns the sub-agents that are working, the latest last. */
function useActiveSubagents(): readonly ActiveSubagent[] {
  const { session } = useStudio()
  // A string compares by value, so text of the sub-agents renders nothing here.
  return JSON.parse(useTranscript(session, select)) as readonly ActiveSubagent[]
}

function select(transcript: Transcript): string {
  const { agents } = transcript
  if (agents.length < 2) return '[]'
  const root = rootAgent(transcript)
  const workers = [...agents].filter((agent) => agent !== root && isWorking(agent))
  return JSON.stringify(workers.map(({ id, name }) => ({ id, name: name ?? 'A sub-agent' })))
}

function isWorking({ runs }: AgentNode): boolean {
  const run = runs.at(-1)
  return run !== undefined && run.end === undefined
}
