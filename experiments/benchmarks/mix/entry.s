@ Called in place of Jade's wait loop: r0 and lr are what that needs. Then it goes on to the address at the end.
    .syntax unified
    .cpu arm7tdmi
    .section .entry, "ax"
    .thumb
    push {r0, r4-r7, lr}
    bl work
    pop {r0, r4-r7}
    pop {r1}
    mov lr, r1
    ldr r1, then
    bx r1
    .align 2
then: .word 0xFFFFFFFF
    .section .iwram, "ax"
    .global arm_code
arm_code:
