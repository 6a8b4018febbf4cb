import { readFile } from 'node:fs/promises'
import type { Download, Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findFaults } from '../support/browser/axe.ts'
import { left, one, withStudio } from '../support/browser/studio-tests.ts'

const chat = (): Locator => one.page.locator('.chat-content')
const timeline = (): Locator => one.page.getByRole('region', { name: 'Timeline', exact: true })
const moment = (): Locator => timeline().getByRole('slider', { name: 'Moment' })
const bars = (): Locator => timeline().getByRole('option')
const button = (name: string): Locator => one.page.getByRole('button', { name, exact: true })
const wireTotals = (text: string): Promise<void> =>
  one.page.getByTestId('wire-totals').filter({ hasText: text }).waitFor()

async function showTimeline(): Promise<void> {
  await one.page.getByRole('link', { name: 'Timeline' }).click()
  await moment().waitFor()
}

/** Waits until the times of a watched run are those after a reload. */
const settled = (): Promise<void> =>
  timeline().getByText('Times as the server stored them').waitFor()

async function askAndWait(prompt: string, words: string): Promise<void> {
  await one.ask(prompt)
  await chat().getByText(words).last().waitFor()
  await one.waitFor('Ready')
}

async function save(name: string): Promise<Download> {
  const saving = one.page.waitForEvent('download')
  await timeline().getByRole('button', { name, exact: true }).click()
  return saving
}

/** Moves the slider to a part of the way. */
async function scrub(part: number): Promise<void> {
  await moment().fill(String(Number(await moment().getAttribute('max')) * part))
}

describe.skipIf(left)('the timeline', () => {
  withStudio({ viewport: { width: 1_280, height: 860 } })

  test('explains itself while it is empty', async () => {
    await one.page.getByRole('link', { name: 'Timeline', exact: true }).click()
    await timeline().getByText('There are no runs yet').waitFor()
  })

  test('grows during a run', async () => {
    await one.ask('/demo long 100000')
    await showTimeline()
    const total = timeline().locator('.tl-where')
    const before = await total.innerText()
    await expect.poll(() => total.innerText()).not.toBe(before)
    await button('Stop').click()
    await one.waitFor('Ready')
  })

  test('returns to any moment: chat and wire are as they were, and nothing can be sent', async () => {
    await askAndWait('/demo thinking', '204.')
    await one.page.getByLabel('Your message').fill('And then')
    await one.page.getByLabel('Files to attach').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('The wheel turns.'),
    })
    await one.page.getByText('16 bytes').waitFor()
    await showTimeline()
    await moment().focus()
    await moment().press('Home')
    await moment().press('ArrowLeft')
    await chat().getByText('There were no messages yet.').waitFor()
    await moment().press('ArrowRight')
    await wireTotals('1 frames')
    await chat().locator('.user-bubble', { hasText: '/demo thinking' }).waitFor()
    expect(await chat().locator('.thinking').count()).toBe(0)
    await moment().press('ArrowRight')
    await wireTotals('2 frames')
    await chat().getByText('Thinking…').waitFor()
    await one.page.getByText('You are viewing a past moment.').waitFor()
    expect(await one.page.getByLabel('Your message').count()).toBe(0)
    await moment().press('ArrowLeft')
    await wireTotals('1 frames')
    await button('Return to live').click()
    await chat().getByText('204.').last().waitFor()
    await one.page.getByText('You are viewing a past moment.').waitFor({ state: 'detached' })
    // The unsent text is kept.
    expect(await one.page.getByLabel('Your message').inputValue()).toBe('And then')
    expect(await one.page.getByText('notes.txt').count()).toBe(1)
  })

  test('is equally exact after a reload: frame by frame, each with its time', async () => {
    await askAndWait('/demo thinking', '204.')
    const totals = await one.page.getByTestId('wire-totals').innerText()
    await showTimeline()
    await settled()
    const summary = timeline().locator('.tl-summary', { hasText: /First token[\d.]+ m?s/ })
    const table = timeline().getByRole('region', { name: 'Agents' })
    const figures = [await summary.innerText(), await table.innerText()]
    await one.page.reload()
    await chat().getByText('204.').last().waitFor()
    await wireTotals(totals)
    await settled()
    expect([await summary.innerText(), await table.innerText()]).toEqual(figures)
    await moment().focus()
    await moment().press('Home')
    for (const count of ['1 frames', '2 frames', '3 frames']) {
      await wireTotals(count)
      await moment().press('ArrowRight')
    }
    // Users of the keyboard keep their focus when the prompt can be edited again.
    await moment().press('End')
    await one.page.getByLabel('Your message').waitFor()
    expect(await moment().evaluate((slider) => slider.matches(':focus'))).toBe(true)
  })

  test('shows a question in the past without its form', async () => {
    await one.ask('/demo frontend')
    await one.waitFor('Waiting')
    // Long enough to be visible, and to be inspected in the middle.
    await one.page.waitForTimeout(500)
    await button('Yes').click()
    await one.waitFor('Ready')
    await showTimeline()
    const waiting = bars().and(one.page.locator('[data-kind=waiting]'))
    await waiting.first().click()
    await chat().getByLabel('A question for you').waitFor()
    expect(await button('Yes').count()).toBe(0)
    await timeline().getByRole('button', { name: 'Now' }).click()
    await chat().getByText('You answered').waitFor()
  })

  test('plays a run again, and stops', async () => {
    await askAndWait('/demo tools', 'in the order of my calls.')
    await showTimeline()
    await scrub(0.1)
    await timeline().getByRole('button', { name: '16×' }).click()
    await timeline().getByRole('button', { name: 'Play' }).click()
    await chat().getByText('in the order of my calls.').waitFor()
    await timeline().getByRole('button', { name: 'Play' }).waitFor()
    await one.page.getByText('You are viewing a past moment.').waitFor({ state: 'detached' })
  })

  test('has a lane for each agent, nested, with figures', async () => {
    await one.ask('/demo subagents')
    await button('Yes').click()
    await chat().getByText('Here are the results').waitFor()
    await one.waitFor('Ready')
    await showTimeline()
    const names = timeline().locator('.tl-lane-name')
    await expect
      .poll(() => names.allTextContents())
      .toEqual(['demo', 'historian', 'engineer', 'surveyor'])
    // The wire has become smaller, and still shows its end.
    const isEndInView = async (): Promise<boolean> => {
      const newest = await one.page.locator('.wire-row', { hasText: '[DONE]' }).last().boundingBox()
      const list = await one.page.locator('.wire-scroll').boundingBox()
      return newest !== null && list !== null && newest.y < list.y + list.height
    }
    await expect.poll(isEndInView).toBe(true)
    const looks = (place: Locator, property: string): Promise<string> =>
      place.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
    const mark = (name: string): Locator =>
      timeline().locator('svg g', { hasText: name }).locator('.tl-lane-mark').last()
    const seen = new Set<string>()
    for (const name of ['historian', 'engineer']) {
      const colour = await looks(mark(name), 'fill')
      seen.add(colour)
      const card = chat().locator('.agent-mark', { hasText: name }).locator('.icon')
      expect(await looks(card, 'color')).toBe(colour)
      await one.page.getByLabel('Agent', { exact: true }).selectOption({ label: name })
      const frame = one.page.locator('.wire-row', { hasText: name }).first()
      expect(await looks(frame.locator('.agent-dot'), 'background-color')).toBe(colour)
    }
    expect(seen.size).toBe(2)
    const svg = await readFile(await (await save('SVG')).path(), 'utf8')
    for (const colour of seen) expect(svg).toContain(`fill="${colour}"`)
    const agents = timeline().getByRole('region', { name: 'Agents' })
    expect(await agents.locator('tbody th').allInnerTexts()).toEqual(await names.allTextContents())
    await agents.getByRole('columnheader', { name: 'First token' }).waitFor()
    expect(await bars().and(one.page.locator('[data-kind=waiting]')).count()).toBe(1)
    expect(await bars().and(one.page.locator('[data-kind=subagent]')).count()).toBe(3)
    await timeline().getByText('The chart as a table').click()
    const table = timeline().getByRole('region', { name: 'The chart as a table' })
    await table.getByRole('row', { name: /Waiting for a person user_confirm historian/ }).waitFor()
  })

  test('can be used with the keyboard alone', async () => {
    await askAndWait('/demo tools', 'in the order of my calls.')
    await showTimeline()
    const chart = timeline().getByRole('listbox')
    await chart.focus()
    await chart.press('ArrowRight')
    await timeline().locator('.tl-detail', { hasText: 'Text' }).waitFor()
    // Bars that are too small to be distinguished are merged, so a click is reliable only on those of the tools.
    const running = timeline().locator('.tl-detail', { hasText: 'get_' })
    const active = (): Promise<string | null> => chart.getAttribute('aria-activedescendant')
    for (let press = await bars().count(); press > 0 && !(await running.isVisible()); press--) {
      const before = await active()
      await chart.press('ArrowRight')
      await expect.poll(active).not.toBe(before)
    }
    await running.waitFor()
    await chart.press('Enter')
    await one.page.getByText('You are viewing a past moment.').waitFor()
    const fits = (): Promise<boolean> =>
      timeline().getByRole('button', { name: 'Fit' }).isDisabled()
    await chart.press('+')
    await expect.poll(fits).toBe(false)
    await chart.press('Shift+ArrowRight')
    await chart.press('0')
    await expect.poll(fits).toBe(true)
  })

  test('zooms with a wheel and pans by dragging', async () => {
    await askAndWait('/demo thinking', '204.')
    await showTimeline()
    const ticks = timeline().locator('.tl-tick')
    const whole = await ticks.allTextContents()
    const box = await timeline().getByRole('listbox').boundingBox()
    if (!box) throw new Error('The chart is not shown.')
    await one.page.mouse.move(box.x + box.width / 2, box.y + 40)
    await one.page.keyboard.down('Control')
    await one.page.mouse.wheel(0, -400)
    await one.page.keyboard.up('Control')
    await expect.poll(() => ticks.allTextContents()).not.toEqual(whole)
    const zoomed = await ticks.allTextContents()
    await one.page.mouse.down()
    await one.page.mouse.move(box.x + 200, box.y + 40, { steps: 5 })
    await one.page.mouse.up()
    await expect.poll(() => ticks.allTextContents()).not.toEqual(zoomed)
    expect(await one.page.getByText('You are viewing a past moment.').count()).toBe(0)
  })

  test('is scrubbed along its scale, with the slider at the same times', async () => {
    await askAndWait('/demo thinking', '204.')
    await showTimeline()
    const scale = await timeline().locator('.tl-ruler').boundingBox()
    const slider = await moment().boundingBox()
    if (!scale || !slider) throw new Error('The chart is not shown.')
    // The middle of the thumb is half its width from the edge.
    expect(Math.abs(slider.x + 7 - scale.x)).toBeLessThan(1)
    expect(Math.abs(slider.x + slider.width - 7 - (scale.x + scale.width))).toBeLessThan(1)
    await one.page.mouse.move(scale.x + scale.width * 0.8, scale.y + 8)
    await one.page.mouse.down()
    await one.page.getByText('You are viewing a past moment.').waitFor()
    const line = (): Promise<number> =>
      timeline()
        .locator('.tl-moment')
        .evaluate((element) => Number(element.getAttribute('x1')))
    const before = await line()
    // A drag may leave the scale.
    await one.page.mouse.move(scale.x + scale.width * 0.3, scale.y + 60, { steps: 4 })
    await expect.poll(line).toBeLessThan(before)
    await one.page.mouse.move(scale.x + scale.width + 5, scale.y + 8, { steps: 4 })
    await one.page.mouse.up()
    await one.page.getByText('You are viewing a past moment.').waitFor({ state: 'detached' })
  })

  test('is saved as a recording that can be opened, also after a reload', async () => {
    await askAndWait('/demo thinking', '204.')
    await showTimeline()
    await settled()
    const summary = timeline().locator('.tl-summary')
    const figures = await summary.innerText()
    const totals = await one.page.getByTestId('wire-totals').innerText()
    const file = await (await save('Recording')).path()
    await one.page
      .getByLabel('A recorded run')
      .first()
      .setInputFiles({
        name: 'mine.sse',
        mimeType: 'text/plain',
        buffer: await readFile(file),
      })
    await one.waitFor('Recording')
    await one.page.getByText('This is a recording: mine.sse').waitFor()
    await chat().getByText('204.').last().waitFor()
    await wireTotals(totals)
    await expect.poll(() => summary.innerText()).toBe(figures)
    await expect.poll(() => one.page.url()).toContain('recording=')
    const address = one.page.url()
    await one.page.reload()
    await one.waitFor('Recording')
    expect(one.page.url()).toBe(address)
    await expect.poll(() => summary.innerText()).toBe(figures)
    await scrub(0.5)
    await one.page.getByText('You are viewing a past moment.').waitFor()
    await button('Return to the end').click()
    await button('Close the recording').click()
    await one.waitFor('Ready')
    await one.page.getByLabel('Your message').waitFor()
  })

  test('is saved as a bitmap and as a vector image', async () => {
    await askAndWait('/demo tools', 'in the order of my calls.')
    await showTimeline()
    const png = await readFile(await (await save('PNG')).path())
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    const svg = await readFile(await (await save('SVG')).path(), 'utf8')
    expect(svg).toContain('Run 1: /demo tools')
    expect(svg).toMatch(/<rect [^>]*fill="rgb/)
    expect(svg).not.toContain('var(')
  })

  test('compares two runs on one scale', async () => {
    await askAndWait('/demo thinking', '204.')
    await askAndWait('/demo tools', 'in the order of my calls.')
    await showTimeline()
    await settled()
    await timeline().getByLabel('Compare with', { exact: true }).selectOption({ index: 1 })
    expect(await timeline().getByRole('listbox').count()).toBe(2)
    const table = timeline().getByRole('region', { name: 'Differences' })
    const rows = await table.locator('tbody th').allInnerTexts()
    expect(rows).toEqual(
      expect.arrayContaining(['First token', 'Total', 'Steps', 'Tools', 'Bytes']),
    )
    const steps = table.getByRole('row', { name: /^Steps/ })
    expect(await steps.locator('td').allInnerTexts()).toEqual(['2', '1', '−1 (−50 %)'])
    const ticks = (chart: number) =>
      timeline().getByRole('listbox').nth(chart).locator('.tl-tick').allTextContents()
    expect(await ticks(0)).toEqual(await ticks(1))
  })

  test('compares a run with one from a file', async () => {
    await askAndWait('/demo thinking', '204.')
    await showTimeline()
    await settled()
    const file = await (await save('Recording')).path()
    await timeline()
      .getByLabel('A recorded run')
      .setInputFiles({
        name: 'before.sse',
        mimeType: 'text/plain',
        buffer: await readFile(file),
      })
    await timeline().getByRole('heading', { name: 'before.sse' }).waitFor()
    const table = timeline().getByRole('region', { name: 'Differences' })
    const changes = await table.locator('tbody td:last-child').allInnerTexts()
    expect(new Set(changes)).toEqual(new Set(['']))
    await one.waitFor('Ready')
  })

  test('counts frames if the server does not report when they were stored', async () => {
    await askAndWait('/demo thinking', '204.')
    await one.page.route('**/times?*', (route) => route.fulfill({ status: 200, body: '{}' }))
    await one.page.reload()
    await showTimeline()
    await timeline().getByText('so messages are shown in order').waitFor()
  })

  test('uses the times that the server reports', async () => {
    await askAndWait('/demo thinking', '204.')
    const times = [
      [1, 1_000],
      [2, 3_000],
      [5, 61_000],
    ]
    await one.page.route('**/times?*', (route) => route.fulfill({ json: { times } }))
    await one.page.reload()
    await showTimeline()
    await timeline().locator('.tl-summary', { hasText: 'First token2.00 s' }).waitFor()
    await timeline().locator('.tl-summary', { hasText: 'Total60.0 s' }).waitFor()
  })

  describe('files', () => {
    /** Drops a file on the page; returns whether the page has accepted it. */
    const carry = (move: 'dragover' | 'drop', name: string, content: string) =>
      one.page.evaluate(
        ([type = '', label = '', text = '']) => {
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File([text], label))
          const options = { dataTransfer, bubbles: true, cancelable: true }
          return !document.body.dispatchEvent(new DragEvent(type, options))
        },
        [move, name, content],
      )
    const drop = async (name: string, content: string) => {
      await expect.poll(() => carry('dragover', name, content)).toBe(true)
      expect(await carry('drop', name, content)).toBe(true)
    }

    test('are dropped anywhere, also raw streams of providers', async () => {
      const events = [
        { type: 'message_start', message: { id: 'm', model: 'claude', role: 'assistant' } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello you' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      ]
      await drop('raw.sse', events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
      await one.waitFor('Recording')
      await chat().getByText('Hello you').waitFor()
      await showTimeline()
      await timeline().getByText('The file has no times').waitFor()
    })

    test('of other formats are named, without invented times', async () => {
      const chunks = [
        { type: 'start', messageId: 'm' },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Hello you' },
        { type: 'text-end', id: 't' },
        { type: 'finish' },
      ]
      await drop('ui.sse', chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
      await one.waitFor('Recording')
      const note = 'An AI SDK stream, shown as Millrace messages.'
      await one.page.locator('.read-only-note', { hasText: note }).waitFor()
      await one.page.locator('.wire-row', { hasText: 'Hello you' }).waitFor()
      expect(new Set(await one.page.locator('.wire-time').allTextContents())).toEqual(new Set(['']))
    })

    test('that are damaged are rejected with a message', async () => {
      await drop('half.json', '{"session":{},')
      const notice = one.page.getByRole('alert')
      await notice.getByText('“half.json” cannot be opened').waitFor()
      await notice.getByRole('button', { name: 'Close' }).click()
      await notice.waitFor({ state: 'detached' })
      await one.waitFor('Ready')
    })

    test('that are not recordings are attached to the next prompt', async () => {
      await drop('levels.csv', 'day,cm\n1,84\n')
      const attached = one.page.getByRole('list', { name: 'Attached files' })
      await attached.getByText('12 bytes').waitFor()
      expect(await one.page.getByRole('alert').count()).toBe(0)
    })
  })

  test.each([
    ['wide', 1_280, 'light'],
    ['phone', 390, 'dark'],
  ] as const)('axe finds nothing on a %s page', async (_, width, colorScheme) => {
    await one.page.emulateMedia({ colorScheme })
    await one.page.setViewportSize({ width, height: 844 })
    await askAndWait('/demo tools', 'in the order of my calls.')
    await showTimeline()
    await scrub(0.5)
    expect(await findFaults(one.page, '.timeline-pane')).toEqual([])
    const overflow = await one.page.evaluate(
      () => document.documentElement.scrollWidth - innerWidth,
    )
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
