import { describe, expect, test } from 'vitest'
import { left, one, studio, withStudio } from '../support/browser/studio-tests.ts'

/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const picture = { name: 'wheel.png', mimeType: 'image/png', buffer: png }
const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The wheel turns.') }

describe.skipIf(left)('files of a prompt', () => {
  withStudio()

  const attached = () => one.page.getByRole('list', { name: 'Attached files' })
  const send = () => one.page.getByRole('button', { name: 'Send', exact: true })

  test('are selected, previewed, removed, sent, and shown in the prompt also after a reload', async () => {
    const { page } = one
    await page
      .getByLabel('Files to attach')
      .setInputFiles([picture, notes, { ...notes, name: 'b.txt' }])
    await attached().getByText('16 bytes').first().waitFor()
    expect(await attached().getByRole('listitem').count()).toBe(3)
    expect(await attached().locator('img').count()).toBe(1)
    await page.getByRole('button', { name: 'Remove b.txt' }).click()
    await page.getByLabel('Your message').fill('What do they say?')
    await send().click()
    await one.waitFor('Ready')
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload()
      const row = page.locator('.user-row')
      await row.getByText('What do they say?').waitFor()
      await row.getByText('notes.txt').waitFor()
      await row.getByText('wheel.png').waitFor()
      // As in the composer, without their content.
      await row.getByText('Text · 16 bytes').waitFor()
      await row.getByText(`PNG image · ${png.length} bytes`).waitFor()
      expect(await row.getByText('The wheel turns.').count()).toBe(0)
      // The image is loaded from the server, which stores it.
      const picture = row.getByRole('list', { name: 'Files of the prompt' }).locator('img')
      await expect
        .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBe(1)
      expect(await page.locator('.user-row').count()).toBe(1)
    }
    await page.locator('.run-footer').waitFor()
    expect(await attached().count()).toBe(0)
  })

  test('may be the complete prompt', async () => {
    await one.page.getByLabel('Files to attach').setInputFiles(notes)
    await attached().getByText('16 bytes').waitFor()
    await send().click()
    await one.page.locator('.user-row').getByText('notes.txt').waitFor()
    await one.page.locator('.run-footer').waitFor()
  })

  test('can be pasted, and dropped onto the prompt', async () => {
    const { page } = one
    await page.evaluate(
      (bytes) => {
        const file = new File([new Uint8Array(bytes)], 'shot.png', { type: 'image/png' })
        const give = (type: 'paste' | 'drop' | 'dragover', selector: string) => {
          const data = new DataTransfer()
          data.items.add(file)
          const options = { bubbles: true, cancelable: true }
          const event =
            type === 'paste'
              ? new ClipboardEvent(type, { ...options, clipboardData: data })
              : new DragEvent(type, { ...options, dataTransfer: data })
          document.querySelector(selector)?.dispatchEvent(event)
        }
        give('paste', '.composer textarea')
        give('dragover', '.composer-box')
        give('drop', '.composer-box')
      },
      [...png],
    )
    await attached().getByRole('listitem').nth(1).waitFor()
    expect(await attached().getByText('shot.png').count()).toBe(2)
    // No file was opened as a recording.
    await page.getByRole('heading', { name: 'Watch an agent work' }).waitFor()
  })

  test('of types that no model reads are rejected with a message, and the prompt is sent after their removal', async () => {
    const { page } = one
    const program = {
      name: 'mill.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from([0, 1, 2, 255]),
    }
    const film = { name: 'mill.mp4', mimeType: 'video/mp4', buffer: Buffer.from([1]) }
    await page
      .getByLabel('Files to attach')
      .setInputFiles([program, film, { ...notes, buffer: Buffer.alloc(0) }])
    await attached().getByText('The model can only read images, PDF and text').waitFor()
    await attached().getByText('The file is empty.').waitFor()
    await attached().locator('li', { hasText: 'mill.bin' }).getByRole('alert').waitFor()
    await page.getByLabel('Your message').fill('Read them.')
    expect(await send().isDisabled()).toBe(true)
    await page.getByText('3 files cannot be sent.').waitFor()
    for (const name of ['mill.bin', 'mill.mp4']) {
      await page.getByRole('button', { name: `Remove ${name}` }).click()
    }
    await page.getByText('“notes.txt” cannot be sent.').waitFor()
    expect(await send().isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.locator('.composer textarea:focus').waitFor()
    expect(await send().isDisabled()).toBe(false)
    // The browser logs the refusal of the server.
    expect(studio.complaints.splice(0)).toHaveLength(1)
  })
})
