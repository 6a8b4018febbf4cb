import { parseArgs } from 'node:util'
import { command, Failure } from './lib/failure.mjs'
import { runStage, stages } from './lib/stages.mjs'
import { findSystemPackages } from './lib/system-packages.mjs'
import { table } from './lib/table.mjs'
import { setup } from './setup.mjs'

const isStrict = process.env.CI === 'true'

function chooseStages() {
  const names = stages.map(({ name }) => name)
  const usage = `Usage: npm test -- [--only ${names.join('|')}[,…]] [--update]`
  try {
    const { values } = parseArgs({
      options: { only: { type: 'string' }, update: { type: 'boolean' } },
    })
    if (values.update)
      Object.assign(process.env, {
        UPDATE_API: '1',
        UPDATE_SCHEMA: '1',
        UPDATE_SEEDS: '1',
        UPDATE_GUIDES: '1',
      })
    const chosen = values.only?.split(',') ?? names
    const unknown = chosen.find((name) => !names.includes(name))
    if (unknown !== undefined) throw new Error(`There is no stage "${unknown}".`)
    return stages.filter(({ name }) => chosen.includes(name))
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`)
  }
}

function announceMissing(missing) {
  for (const { leftOut, reason } of missing) console.log(`Leaving out ${leftOut}: ${reason}.`)
  if (isStrict && missing.length > 0) console.log('With CI=true, leaving tests out is a failure.')
}

/** Returns the row of a skipped stage, or nothing if it can run. */
function leaveOut(stage, missing) {
  const wanted = missing.find((program) => program.package === stage.requires)
  return wanted && { stage: stage.name, result: 'left out', passed: 0, failed: 0, seconds: 0 }
}

async function runAll(chosen, missing) {
  const results = []
  for (const stage of chosen) {
    console.log(`\n── ${stage.name}`)
    const omitted = leaveOut(stage, missing)
    if (omitted) console.log('left out')
    const counts = omitted ?? (await runStage(stage))
    results.push({
      stage: stage.name,
      result: counts.failed > 0 ? '✗ failed' : '✓ passed',
      ...counts,
    })
  }
  // Tests that need a missing program may be in any stage, so each such program is a separate failure.
  for (const program of isStrict ? missing : []) {
    results.push({ stage: program.package, result: '✗ missing', passed: 0, failed: 1, seconds: 0 })
  }
  return results
}

function summarise(results) {
  const rows = results.map(({ stage, result, passed, failed, skipped = 0, seconds }) => [
    stage,
    result,
    passed,
    failed,
    skipped,
    seconds.toFixed(1),
  ])
  const failures = results.flatMap(({ stage, failures: texts = [] }) =>
    texts.map((text) => `✗ ${stage}: ${text}`),
  )
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  console.log(
    `\n${table([['stage', 'result', 'passed', 'failed', 'skipped', 'seconds'], ...rows])}\n`,
  )
  // Repeated at the end, because users look there, and long outputs keep their end.
  for (const failure of failures) console.log(`${failure}\n`)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  return sum('failed') === 0 ? 0 : 1
}

async function prepare(chosen) {
  try {
    await setup({ building: false })
    const missing = await findSystemPackages(
      new Set(chosen.flatMap(({ requires, uses = [] }) => [requires, ...uses])),
    )
    for (const { prepare: install } of chosen) if (install) missing.push(...(await install()))
    return missing
  } catch (error) {
    throw new Failure(`${error.message}\n\n0 passed, 1 failed`)
  }
}

await command(async () => {
  const chosen = chooseStages()
  const missing = await prepare(chosen)
  announceMissing(missing)
  return summarise(await runAll(chosen, missing))
})
