import { measureInstall } from './install-size.mjs'
import { runTool } from './run.mjs'
import { table } from './table.mjs'

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(2)} kB`

/**
 * Bundles the imports of a page, prints the gzipped sizes beside their bounds (.size-limit.json) and the size of an install, and counts.
 */
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
  const install = checkInstall()
  const failures = [
    ...sizes
      .filter(({ passed }) => !passed)
      .map(({ name, size, sizeLimit }) => `${name}: ${kilobytes(size)} of ${kilobytes(sizeLimit)}`),
    ...install.filter(({ passed }) => !passed).map(({ text }) => text),
  ]
  const count = sizes.length + install.length
  return { passed: count - failures.length, failed: failures.length, failures }
}

/** Prints the packages of an install for a page, and compares it with its bounds. */
function checkInstall() {
  const { packages, maxPackages, bytes, maxBytes, native } = measureInstall()
  const megabytes = (value) => `${(value / 1_000_000).toFixed(2)} MB`
  const checks = [
    {
      text: `install: ${packages} packages of at most ${maxPackages}`,
      passed: packages <= maxPackages,
    },
    {
      text: `install: ${megabytes(bytes)} of at most ${megabytes(maxBytes)}`,
      passed: bytes <= maxBytes,
    },
    {
      text: `install: ${native.length === 0 ? 'no native code' : `native code in ${native.join(', ')}`}`,
      passed: native.length === 0,
    },
  ]
  for (const { text, passed } of checks) console.log(`${passed ? '✓' : '✗'} ${text}`)
  return checks
}
