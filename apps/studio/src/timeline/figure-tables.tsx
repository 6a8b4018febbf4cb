import { styleOf } from '../session/index.ts'
import type { AgentStyle, AgentStyles } from '../session/index.ts'
import {
  columns,
  figuresOfLane,
  figuresOfRun,
  figuresOfStep,
  listActive,
  nestLanes,
  showFigure,
  stepsOf,
} from './model/index.ts'
import type { Figures, Run } from './model/index.ts'

type ColumnName = keyof typeof columns

/** The number of rows in a table. */
const MAX_ROWS = 200

const agentColumns: readonly ColumnName[] = [
  'firstToken',
  'total',
  'steps',
  'modelTime',
  'toolTime',
  'waitTime',
  'inputTokens',
  'outputTokens',
  'rate',
  'cost',
  'bytes',
]
const stepColumns: readonly ColumnName[] = agentColumns.filter(
  (name) => !['total', 'steps', 'waitTime'].includes(name),
)

interface FigureTablesProps {
  readonly run: Run
  /** Note about the clock of the times; empty without one. */
  readonly clockNote: string
  readonly agentStyles: AgentStyles
}

/** Shows the figures of the agents and the steps of a run. */
export function FigureTables({ run, clockNote, agentStyles }: FigureTablesProps) {
  const { clock } = run
  const lanes = nestLanes(listActive(run.lanes))
  const steps = stepsOf(run)
  return (
    <div className="tl-tables">
      <FigureTable
        caption="Agents"
        note={clockNote}
        names={agentColumns}
        clock={clock}
        count={lanes.length}
        rows={lanes.slice(0, MAX_ROWS).map((lane) => ({
          key: lane.agent,
          depth: lane.depth,
          agentStyle: styleOf(agentStyles, lane.agent),
          figures: figuresOfLane(lane, run),
        }))}
        total={lanes.length > 1 ? figuresOfRun(run) : undefined}
      />
      <FigureTable
        caption="Steps"
        names={stepColumns}
        clock={clock}
        count={steps.length}
        rows={steps.slice(0, MAX_ROWS).map((step) => ({
          key: `${step.agent} ${step.number}`,
          depth: 0,
          agentStyle: lanes.length > 1 ? styleOf(agentStyles, step.agent) : undefined,
          number: step.number,
          figures: figuresOfStep(step, run),
        }))}
      />
    </div>
  )
}

interface FigureRow {
  readonly key: string
  readonly depth: number
  /** Style of the agent, if there are several. */
  readonly agentStyle: AgentStyle | undefined
  readonly number?: number
  readonly figures: Figures
}

interface FigureTableProps {
  readonly caption: string
  readonly note?: string
  readonly names: readonly ColumnName[]
  readonly clock: Run['clock']
  /** Number of all rows. */
  readonly count: number
  /** The rows that are shown. */
  readonly rows: readonly FigureRow[]
  readonly total?: Figures | undefined
}

function FigureTable({ caption, note = '', names, clock, count, rows, total }: FigureTableProps) {
  if (rows.length === 0) return null
  // Figures that are unknown have no column.
  const used = names.filter((name) =>
    rows.some(({ figures }) => columns[name].read(figures) !== undefined),
  )
  const cells = (figures: Figures) =>
    used.map((name) => <td key={name}>{showFigure(name, figures, clock)}</td>)
  return (
    <div className="tl-table-scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>
          {caption} <span className="muted">{note}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">{caption === 'Steps' ? 'Step' : 'Agent'}</th>
            {used.map((name) => (
              <th key={name} scope="col" title={columns[name].title}>
                {columns[name].label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, depth, agentStyle, number, figures }) => (
            <tr key={key}>
              <th scope="row" style={{ paddingLeft: 8 + depth * 14 }}>
                {agentStyle && <span className="agent-dot" data-agent-color={agentStyle.color} />}
                {[agentStyle?.label, number].filter((part) => part !== undefined).join(' ')}
              </th>
              {cells(figures)}
            </tr>
          ))}
        </tbody>
        {total && (
          <tfoot>
            <tr>
              <th scope="row">The run</th>
              {cells(total)}
            </tr>
          </tfoot>
        )}
      </table>
      {count > rows.length && <p className="muted">And {count - rows.length} more.</p>}
    </div>
  )
}
