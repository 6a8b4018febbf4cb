import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.mjs'
import { countTests, describeFailures } from './vitest.mjs'

const report = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 }

test('tests are counted as by vitest', () => {
  const testResults = [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] },
  ]
  expect(countTests({ ...report, testResults })).toEqual({ passed: 3, failed: 1, skipped: 3 })
})

test('a file that could not be loaded counts as a failure', () => {
  const testResults = [{ status: 'failed', assertionResults: [] }]
  expect(countTests({ ...report, testResults }).failed).toBe(2)
})

test('failed tests are named with their files and the first lines of their messages', () => {
  const name = join(root, 'some/file.test.ts')
  const failureMessages = [['Error: wrong', ...Array.from({ length: 99 }, () => 'at')].join('\n')]
  const testResults = [
    {
      name,
      status: 'failed',
      assertionResults: [
        { status: 'passed', fullName: 'is right' },
        { status: 'failed', fullName: 'is wrong', failureMessages },
      ],
    },
    { name, status: 'failed', message: 'Error: not there', assertionResults: [] },
  ]
  const [failed, broken, ...others] = describeFailures({ ...report, testResults })
  expect(failed.split('\n').slice(0, 2)).toEqual([
    `${join('some', 'file.test.ts')}: is wrong`,
    '    Error: wrong',
  ])
  expect(failed.split('\n').length).toBeLessThan(20)
  expect(broken).toBe(`${join('some', 'file.test.ts')}\n    Error: not there`)
  expect(others).toEqual([])
})
