import type { FrameLogSnapshot } from '../session/frame-log.ts'
import { agentLabels } from './format.ts'
import type { FrameFilter } from './select-frames.ts'
import { useAgentNames } from './use-agent-names.ts'

interface WireFilterProps {
  readonly snapshot: FrameLogSnapshot
  readonly filter: FrameFilter
  readonly onFilter: (filter: FrameFilter) => void
}

/** Chooses the frames to show. */
export function WireFilter({ snapshot: { types, agents }, filter, onFilter }: WireFilterProps) {
  if (types.size === 0) return null
  const toggle = (type: string) => {
    const chosen = new Set(filter.types)
    if (!chosen.delete(type)) chosen.add(type)
    onFilter({ ...filter, types: chosen })
  }
  return (
    <div className="wire-filter" role="group" aria-label="Show only these types">
      {[...types].map(([type, count]) => (
        <button
          key={type}
          type="button"
          aria-pressed={filter.types.has(type)}
          onClick={() => toggle(type)}
        >
          {type} <span>{count.toLocaleString('en')}</span>
        </button>
      ))}
      {agents.length > 1 && (
        <AgentSelect
          agents={agents}
          value={filter.agent}
          onChange={(agent) => onFilter({ ...filter, agent })}
        />
      )}
    </div>
  )
}

interface AgentSelectProps {
  readonly agents: readonly string[]
  readonly value: string
  readonly onChange: (agent: string) => void
}

function AgentSelect({ agents, value, onChange }: AgentSelectProps) {
  const labels = agentLabels(agents, useAgentNames())
  return (
    <select aria-label="Agent" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">All agents</option>
      {agents.map((agent, index) => (
        <option key={agent} value={agent}>
          {labels[index]}
        </option>
      ))}
    </select>
  )
}
