/** A value that this browser keeps. Where nothing can be kept (private windows), it lasts as long as the page. */
import { ref, watch, type Ref } from 'vue'

export function kept<T>(name: string, initial: T): Ref<T> {
  const value = ref(read(name, initial)) as Ref<T>
  watch(
    value,
    (now) => {
      write(name, now)
    },
    { deep: true },
  )
  return value
}

export function read<T>(name: string, initial: T): T {
  try {
    const found = localStorage.getItem(`helloclaw.${name}`)
    return found === null ? initial : (JSON.parse(found) as T)
  } catch {
    return initial
  }
}

export function write(name: string, value: unknown): void {
  try {
    if (value === null || value === undefined || value === '') localStorage.removeItem(`helloclaw.${name}`)
    else localStorage.setItem(`helloclaw.${name}`, JSON.stringify(value))
  } catch {
    // The store is full or forbidden: nothing that the person has to know.
  }
}
