import { chunkings, isChunkingKind, traitsOf } from '../settings/index.ts'
import type { Chunking } from '../settings/index.ts'

interface ChunkingPickerProps {
  readonly chunking: Chunking
  readonly onChunking: (chunking: Chunking) => void
}

const kinds = Object.keys(chunkings).filter(isChunkingKind)

/** Initial numbers of chunkings. */
const firstNumbers = { size: 8, tokens: 1 } as Readonly<Record<string, number>>

/** Selects how the text is split into chunks. */
export function ChunkingPicker({ chunking, onChunking }: ChunkingPickerProps) {
  const { number: bounds } = traitsOf(chunking.kind)
  const isAllowed =
    bounds === undefined || (chunking.number >= bounds.least && chunking.number <= bounds.most)
  return (
    <div className="field">
      <label htmlFor="lab-chunking">Chunks</label>
      <div className="field-row">
        <select
          id="lab-chunking"
          value={chunking.kind}
          onChange={(event) => {
            const kind = event.target.value
            if (isChunkingKind(kind)) onChunking({ kind, number: firstNumbers[kind] ?? 0 })
          }}
        >
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {traitsOf(kind).label}
            </option>
          ))}
        </select>
        {bounds && (
          <label className="number-field">
            <span>{bounds.label}</span>
            <input
              type="number"
              min={bounds.least}
              max={bounds.most}
              value={chunking.number}
              aria-invalid={!isAllowed}
              onChange={(event) => {
                const number = event.target.valueAsNumber
                onChunking({ ...chunking, number: Number.isNaN(number) ? 0 : Math.floor(number) })
              }}
            />
          </label>
        )}
      </div>
      {bounds && !isAllowed && (
        <p className="field-note" data-tone="warn" role="status">
          {bounds.label}: from {bounds.least} to {bounds.most.toLocaleString('en')}; the nearest is
          used.
        </p>
      )}
    </div>
  )
}
