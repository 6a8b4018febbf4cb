import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const module = new URL('./connect.ts', import.meta.url).href

/** Returns whether V8 has fast properties for strings, at the start of a process and after each of two steps. */
function hasFastStrings(...steps: readonly [string, string]): unknown {
  const [first, second] = steps
  const code = `
    const seen = [%HasFastProperties(String.prototype)]
    ${first}
    seen.push(%HasFastProperties(String.prototype))
    ${second}
    seen.push(%HasFastProperties(String.prototype))
    console.log(JSON.stringify(seen))`
  const flags = ['--allow-natives-syntax', '--import', 'tsx', '--input-type=module']
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', code], {
    encoding: 'utf8',
  })
  return JSON.parse(stdout || JSON.stringify(stderr))
}

test('strings stay fast after the driver is loaded', () => {
  const load = `;(await import(${JSON.stringify(module)})).loadDriver()`
  expect(hasFastStrings(load, load)).toEqual([true, true, true])
  // Without that step they do not: V8 has not changed.
  expect(hasFastStrings(`class Slow extends String {}`, load)).toEqual([true, false, true])
})
