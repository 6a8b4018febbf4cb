import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from './run.mjs'

/** Counts the tests of a report of vitest; a file that could not be loaded counts as one that failed. */
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

/** Runs one of the projects of vitest.config.ts and counts its tests. */
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
    const counts = countTests(JSON.parse(readFileSync(reportFile, 'utf8')))
    // An error outside any test fails the run without failing a test.
    return ok ? counts : { ...counts, failed: Math.max(counts.failed, 1) }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
