import { expect, test } from 'vitest'
import { toStoreError } from './store-errors.ts'

const failure = (rawCode: number): Error =>
  Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR', rawCode })

test('a file that ends too early is damaged; other read failures are those of its disk', () => {
  const [shortRead, failedRead] = [522, 266]
  expect(toStoreError(failure(shortRead)).message).toContain('The store is damaged.')
  expect(toStoreError(failure(failedRead)).message).toContain(
    'The disk of the store reports errors.',
  )
})
