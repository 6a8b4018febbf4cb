import { useId } from 'react'
import { useStudio } from '../../session/index.ts'
import { useCurrentAgent } from '../starters/index.ts'

/** Selects the agent of a new session if the server has several. */
export function AgentPicker() {
  const id = useId()
  const { choice } = useStudio()
  const { agent, agents } = useCurrentAgent()
  if (agents.length < 2) return null
  return (
    <p className="agent-picker">
      <label htmlFor={id}>Agent</label>
      <select id={id} value={agent} onChange={({ target }) => choice.set(target.value)}>
        {agents.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </p>
  )
}
