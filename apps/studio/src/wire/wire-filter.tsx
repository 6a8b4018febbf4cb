import type { FrameLogSnapshot } from '../session/frames/index.ts'
import { styleOf } from '../session/index.ts'
import type { AgentStyles } from '../session/index.ts'
import type { FrameFilter } from './select-frames.ts'

interface WireFilterProps {
  readonly snapshot: FrameLogSnapshot
  readonly agentStyles: AgentStyles
  readonly filter: FrameFilter
  readonly onFilter: (filter: FrameFilter) => void
}

/** Selects the frames to show. */
export function WireFilter({ snapshot, agentStyles, filter, onFilter }: WireFilterProps) {
  const { types, agents } = snapshot
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
          {...{ agents, agentStyles }}
          value={filter.agent}
          onChange={(agent) => onFilter({ ...filter, agent })}
        />
      )}
    </div>
  )
}

interface AgentSelectProps {
  readonly agents: readonly string[]
  readonly agentStyles: AgentStyles
  readonly value: string
  readonly onChange: (agent: string) => void
}

function AgentSelect({ agents, agentStyles, value, onChange }: AgentSelectProps) {
  return (
    <select aria-label="Agent" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">All agents</option>
      {agents.map((agent) => (
        <option key={agent} value={agent}>
          {styleOf(agentStyles, agent).label}
        </option>
      ))}
    </select>
  )
}
