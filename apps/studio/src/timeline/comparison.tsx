import { compareRuns } from './model/index.ts'
import type { Run } from './model/index.ts'

interface ComparisonProps {
  readonly one: Run
  readonly other: Run
  readonly names: readonly [string, string]
}

/** Shows the differences between two runs. */
export function Comparison({ one, other, names }: ComparisonProps) {
  return (
    <div className="tl-differences">
      <div className="tl-table-scroll" tabIndex={0} role="region" aria-label="Differences">
        <table>
          <caption>Differences</caption>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">{names[0]}</th>
              <th scope="col">{names[1]}</th>
              <th scope="col">Difference</th>
            </tr>
          </thead>
          <tbody>
            {compareRuns(one, other).map(({ label, title, tone, change, ...shown }) => (
              <tr key={label}>
                <th scope="row" title={title}>
                  {label}
                </th>
                <td>{shown.one}</td>
                <td>{shown.other}</td>
                <td data-tone={tone}>{change}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
