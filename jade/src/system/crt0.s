@ Header, start-up, interrupt handler and the wait loop.
    .syntax unified
    .cpu arm7tdmi

    .section .header, "ax"
    .arm
    .global _start
_start:
    b boot
    .space 156                      @ the logo's place: ours has none
    .ascii "JADE\0\0\0\0\0\0\0\0"   @ title
    .ascii "JADE"                   @ game code
    .ascii "01"                     @ maker
    .byte 0x96, 0, 0
    .space 7
    .byte 0                         @ revision
    .byte 0xC8                      @ complement check: -(sum of 0xA0..0xBC) - 0x19; tests check it
    .space 2
    .asciz "FLASH1M_V103"           @ what tells an emulator the kind of save memory

@ The wait loop has a fixed address, so that an emulator can recognise and skip it.
@ r0: address of gMain.intrCheck
    .section .idle, "ax"
    .thumb
    .thumb_func
    .global wait_for_vblank_flag
wait_for_vblank_flag:
    ldrh r1, [r0]
    lsls r1, r1, #31
    beq wait_for_vblank_flag
    bx lr

    .text
    .arm
boot:
    mov r0, #0x12
    msr cpsr_c, r0                  @ interrupt mode
    ldr sp, =0x03007FA0
    mov r0, #0x1F
    msr cpsr_c, r0                  @ system mode
    ldr sp, =0x03007F00
    mov r0, #0x02000000
    mov r1, #0x40000
    bl clear
    mov r0, #0x03000000
    mov r1, #0x7E00
    bl clear
    ldr r0, =__data_load
    ldr r1, =__data_start
    ldr r2, =__data_end
1:  cmp r1, r2
    ldrlo r3, [r0], #4
    strlo r3, [r1], #4
    blo 1b
    ldr r0, =0x03007FFC
    ldr r1, =interrupt
    str r1, [r0]
    ldr r0, =main
    mov lr, pc
    bx r0
2:  b 2b

@ r0: start, r1: bytes, a multiple of 32
clear:
    mov r2, #0
    mov r3, #0
    mov r4, #0
    mov r5, #0
    mov r6, #0
    mov r7, #0
    mov r8, #0
    mov r9, #0
1:  stmia r0!, {r2-r9}
    subs r1, r1, #32
    bne 1b
    bx lr

@ The only interrupt is the vertical blank: note it in gMain and acknowledge it.
interrupt:
    mov r0, #0x04000000
    mov r1, #1
    add r2, r0, #0x200
    strh r1, [r2, #2]               @ IF
    ldr r2, =0x03007FF8
    strh r1, [r2]                   @ the BIOS's copy
    ldr r2, =0x030022C0             @ gMain
    ldrh r3, [r2, #0x1C]
    orr r3, r3, #1
    strh r3, [r2, #0x1C]            @ intrCheck
    ldr r3, [r2, #0x24]
    add r3, r3, #1
    str r3, [r2, #0x24]             @ vblankCounter2
    bx lr
    .pool
