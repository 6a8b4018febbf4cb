import { basename } from 'node:path'
import { type RunnerTestCase, TestRunner } from 'vitest'
import { keepEvidence, nameFolder } from './page-evidence.ts'

/** Runs browser tests and keeps the pages of those that fail, before their hooks close them. */
export default class BrowserRunner extends TestRunner {
  async onTaskFinished({ file, fullTestName, result }: RunnerTestCase): Promise<void> {
    const [error] = result?.errors ?? []
    if (error === undefined) return
    const folder = await keepEvidence(`${basename(file.name, '.test.ts')} ${fullTestName}`)
    if (folder !== undefined) nameFolder(error, folder)
  }
}
