import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from './root.mjs'
import { runTool } from './run.mjs'

const SHOWN_LINES = 12

/** Counts the tests of a report of vitest; a file that could not be loaded counts as a failed one. */
export function countTests(report) {
  const broken = report.testResults.filter(
    (file) =>
      file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

const describeFailure = (name, message) =>
  [name, ...message.split('\n').slice(0, SHOWN_LINES)].join('\n    ').trimEnd()

/** Names the failed tests of a report, each with the first lines of its errors. */
export function describeFailures(report) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [describeFailure(file, message)]
    return failed.map(({ fullName, failureMessages }) =>
      describeFailure(`${file}: ${fullName}`, failureMessages.join('\n')),
    )
  })
}

/** Runs one of the projects of vitest.config.ts, counts its tests and describes the failed ones. */
export async function runProject(project, { timeoutMs }) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  const reportFile = join(folder, 'report.json')
  try {
    const { ok } = await runTool(
      'vitest',
      [
        'run',
        '--project',
        project,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${reportFile}`,
      ],
      { show: true, timeoutMs, env: process.stdout.isTTY ? { FORCE_COLOR: '1' } : {} },
    )
    const report = JSON.parse(readFileSync(reportFile, 'utf8'))
    const counts = { ...countTests(report), failures: describeFailures(report) }
    if (ok || counts.failed > 0) return counts
    return { ...counts, failed: 1, failures: ['An error outside any test, shown above.'] }
  } catch (error) {
    return { passed: 0, failed: 1, failures: [`There is no report of the tests: ${error.message}`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
