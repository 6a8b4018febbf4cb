import { useId } from 'react'
import { useWorkers } from './use-workers.ts'

interface TargetPickerProps {
  readonly value: string | undefined
  readonly onChange: (agent: string | undefined) => void
}

/** Chooses who is told while sub-agents work: the agent that was asked, or one of them. */
export function TargetPicker({ value, onChange }: TargetPickerProps) {
  const id = useId()
  const workers = useWorkers()
  if (workers.length === 0) return null
  const isThere = workers.some((worker) => worker.id === value)
  return (
    <p className="target-picker">
      <label htmlFor={id}>Tell</label>
      <select
        id={id}
        value={isThere ? value : ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">the agent you asked</option>
        {workers.map((worker) => (
          <option key={worker.id} value={worker.id}>
            {worker.name}
          </option>
        ))}
      </select>
    </p>
  )
}
