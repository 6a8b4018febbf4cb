import { useState } from 'react'
import { styleOf } from '../session/index.ts'
import type { AgentStyles } from '../session/index.ts'
import { toCount, toSize } from '../text/index.ts'
import { barKinds, nestLanes, toStretch } from './model/index.ts'
import type { Run } from './model/index.ts'

/** The number of bars that are listed first and added on request. */
const PAGE = 200

interface BarTableProps {
  readonly run: Run
  readonly agentStyles: AgentStyles
  readonly now: number
  readonly onPickFrame: (index: number) => void
}

/** Lists the bars of the chart as a table. */
export function BarTable({ run, agentStyles, now, onPickFrame }: BarTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="tl-bars" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The chart as a table</summary>
      {isOpen && <Rows {...{ run, agentStyles, now, onPickFrame }} />}
    </details>
  )
}

function Rows({ run, agentStyles, now, onPickFrame }: BarTableProps) {
  const [limit, setLimit] = useState(PAGE)
  const rows = nestLanes(run.lanes)
    .flatMap((lane) => lane.bars.map((bar) => ({ lane, bar })))
    .toSorted((one, other) => one.bar.start - other.bar.start)
  const { clock } = run
  return (
    <div className="tl-table-scroll" tabIndex={0} role="region" aria-label="The chart as a table">
      <table>
        <thead>
          <tr>
            {['Bar', 'Agent', 'Start', 'Duration', 'Frames', 'Bytes', ''].map((label) => (
              <th key={label} scope="col">
                {label || <span className="visually-hidden">Show</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, limit).map(({ lane, bar }, index) => (
            <tr key={index}>
              <th scope="row">
                <span className="tl-swatch" data-kind={bar.kind} />
                {barKinds[bar.kind]} {bar.label}
                {bar.isError && ' (failed)'}
                {bar.isVoid && ' (rolled back)'}
              </th>
              <td>{styleOf(agentStyles, lane.agent).label}</td>
              <td>{toStretch(bar.start, clock)}</td>
              <td>{toStretch((bar.end ?? now) - bar.start, clock)}</td>
              <td>{toCount(bar.frames)}</td>
              <td>{toSize(bar.bytes)}</td>
              <td>
                <button
                  type="button"
                  className="quiet-button"
                  onClick={() => onPickFrame(bar.firstIndex)}
                >
                  Show
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > limit && (
        <button type="button" className="button" onClick={() => setLimit(limit + PAGE)}>
          {PAGE} more of {toCount(rows.length)}
        </button>
      )}
    </div>
  )
}
