import { expect, test } from 'vitest'
import { countTests } from './vitest.mjs'

const report = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 }

test('tests are counted as vitest counted them', () => {
  const testResults = [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] },
  ]
  expect(countTests({ ...report, testResults })).toEqual({ passed: 3, failed: 1, skipped: 3 })
})

test('a file that could not be loaded counts as one that failed', () => {
  const testResults = [{ status: 'failed', assertionResults: [] }]
  expect(countTests({ ...report, testResults }).failed).toBe(2)
})
