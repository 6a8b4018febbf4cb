import type { PriceTable } from 'millrace/pricing'
import { sleep } from '../streams/sleep.ts'

/** The time zones of some well-known cities; others get UTC. */
const zones: Readonly<Record<string, string>> = {
  amsterdam: 'Europe/Amsterdam',
  auckland: 'Pacific/Auckland',
  bangkok: 'Asia/Bangkok',
  berlin: 'Europe/Berlin',
  cairo: 'Africa/Cairo',
  'cape town': 'Africa/Johannesburg',
  chicago: 'America/Chicago',
  delhi: 'Asia/Kolkata',
  istanbul: 'Europe/Istanbul',
  lagos: 'Africa/Lagos',
  lisbon: 'Europe/Lisbon',
  london: 'Europe/London',
  madrid: 'Europe/Madrid',
  'mexico city': 'America/Mexico_City',
  mumbai: 'Asia/Kolkata',
  nairobi: 'Africa/Nairobi',
  'new york': 'America/New_York',
  oslo: 'Europe/Oslo',
  paris: 'Europe/Paris',
  prague: 'Europe/Prague',
  reykjavik: 'Atlantic/Reykjavik',
  rome: 'Europe/Rome',
  'san francisco': 'America/Los_Angeles',
  'são paulo': 'America/Sao_Paulo',
  seoul: 'Asia/Seoul',
  singapore: 'Asia/Singapore',
  sydney: 'Australia/Sydney',
  tokyo: 'Asia/Tokyo',
  toronto: 'America/Toronto',
  vienna: 'Europe/Vienna',
  zurich: 'Europe/Zurich',
}

const skies = [
  'clear',
  'a few clouds',
  'overcast',
  'light rain',
  'showers',
  'fog',
  'windy',
] as const

/** Describes the weather in a city, derived from its name and therefore constant. */
export function describeWeather(city: string) {
  const chance = hash(normalize(city))
  return {
    city,
    temperature: `${4 + (chance % 25)} °C`,
    sky: skies[chance % skies.length],
    humidity: `${35 + ((chance >>> 8) % 55)} %`,
    wind: `${2 + ((chance >>> 16) % 30)} km/h`,
  }
}

/** Describes the time in a city, in its own zone if that is known. */
export function describeTime(city: string, now: number) {
  const name = normalize(city)
  const zone = Object.hasOwn(zones, name) ? zones[name] : undefined
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone ?? 'UTC',
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
  })
  const time = format.format(now)
  return zone === undefined
    ? { city, time, zone: 'UTC (its own is unknown here)' }
    : { city, time, zone }
}

/** Returns the temperatures of a day in a city, by hour: coldest before dawn, warmest after noon. */
export function temperaturesOf(city: string): number[] {
  const noon = 4 + (hash(normalize(city)) % 25)
  const swing = 5 + (hash(`${normalize(city)}/swing`) % 4)
  return Array.from({ length: 24 }, (_, hour) => {
    const course = Math.cos(((hour - 15) / 24) * 2 * Math.PI)
    return Math.round((noon - swing * (1 - course)) * 10) / 10
  })
}

/** Returns the relative duration of a query about a subject, from 0.5 to 1.5. */
export function paceOf(subject: string): number {
  return 0.5 + (hash(`${normalize(subject)}/pace`) % 101) / 100
}

const records = [
  'Ledger no. 4: paid 31 carters for stone and oak, by order of the widow Hanna Brandt.',
  'Letters of the Brandt family (private): from 1786 to 1791. Not to be quoted without leave.',
]

/** Returns the records of the mill archive, for any query. */
export function archiveOf(query: string): string {
  return [`${records.length} records for “${query}”:`, ...records.map((one) => `- ${one}`)].join(
    '\n',
  )
}

/** Returns readings of the fall at a mill in metres: slightly different, and the same for each call. */
export function readingsOf(site: string, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const chance = hash(`${normalize(site)}/reading/${index}`) % 6
    return 4.08 + chance / 100
  })
}

function normalize(city: string): string {
  return city.trim().toLowerCase()
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const unit of text) value = Math.imul(value ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}

/** Example prices of the emulated model, so that the demos show costs; they are never charged. Other models have their own prices. */
export const demoPrices: PriceTable = {
  emulator: {
    input: 1,
    output: 10,
    cacheWrite: 2,
    cacheWrite1h: 4,
    cacheRead: 0.1,
    webSearch: 0.01,
  },
}

/** Waits, so that users can watch; rejects at once when the signal aborts. */
export async function pretendToWork(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, signal)
  signal.throwIfAborted()
}
