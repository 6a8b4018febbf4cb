import { runTool } from './run.mjs'
import { table } from './table.mjs'

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(2)} kB`

/** Bundles what a page would load, prints the gzipped sizes beside their bounds (.size-limit.json), and counts. */
export async function runSizes() {
  const { output } = await runTool('size-limit', ['--json'])
  let sizes
  try {
    sizes = JSON.parse(output)
    if (!Array.isArray(sizes)) throw new Error('no list of sizes')
  } catch {
    console.log(output.trimEnd())
    return { passed: 0, failed: 1, failures: [output.trim()] }
  }
  const rows = sizes.map(({ name, size, sizeLimit, passed }) => [
    `${passed ? '✓' : '✗'} ${name}`,
    kilobytes(size),
    kilobytes(sizeLimit),
  ])
  console.log(table([['gzipped', 'size', 'bound'], ...rows]))
  const failures = sizes
    .filter(({ passed }) => !passed)
    .map(({ name, size, sizeLimit }) => `${name}: ${kilobytes(size)} of ${kilobytes(sizeLimit)}`)
  return { passed: sizes.length - failures.length, failed: failures.length, failures }
}
